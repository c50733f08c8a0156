package main

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func init() {
	Pages = append(Pages,
		Subject[ReadPage]{Peer, pageTree, readTree},
		Subject[ReadPage]{Peer, "x/net/html tokenizer, the same facts", readTokens},
		Subject[ReadPage]{Other, pageTokens, func(body []byte) (PageFacts, error) {
			for z := html.NewTokenizer(bytes.NewReader(body)); ; {
				switch z.Next() {
				case html.ErrorToken:
					return PageFacts{}, nil
				case html.StartTagToken, html.SelfClosingTagToken:
					_, more := z.TagName()
					for more {
						_, _, more = z.TagAttr()
					}
				case html.EndTagToken:
					z.TagName()
				case html.TextToken:
					z.Text()
				default:
				}
			}
		}})
}

func readTree(body []byte) (PageFacts, error) {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return PageFacts{}, err
	}
	var f PageFacts
	links := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			switch n.Parent.DataAtom {
			case atom.Script, atom.Style, atom.Noscript:
			case atom.Title:
				f.Title = strings.Join(strings.Fields(n.Data), " ")
			default:
				f.Words += len(strings.Fields(n.Data))
			}
			continue
		}
		if n.Type == html.ElementNode {
			attr := func(key string) string {
				for _, a := range n.Attr {
					if a.Key == key {
						return a.Val
					}
				}
				return ""
			}
			f.element(n.Data, attr, links)
		}
	}
	f.Links = len(links)
	return f, nil
}

// element takes what one start tag says.
func (f *PageFacts) element(name string, attr func(string) string, links map[string]bool) {
	switch name {
	case "a", "area":
		if href, _, _ := strings.Cut(attr("href"), "#"); href != "" {
			links[href] = true
		}
	case "meta":
		if strings.EqualFold(attr("name"), "robots") {
			f.Robots = attr("content")
		}
	case "link":
		if strings.EqualFold(attr("rel"), "canonical") {
			f.Canonical = attr("href")
		}
	}
}

func readTokens(body []byte) (PageFacts, error) {
	var f PageFacts
	links := map[string]bool{}
	in := ""
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			f.Links = len(links)
			return f, nil
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch in = ""; string(name) {
			case "title", "script", "style", "noscript":
				in = string(name)
			case "a", "area", "meta", "link":
				attrs := make(map[string]string, 4)
				for more {
					var key, val []byte
					key, val, more = z.TagAttr()
					attrs[string(key)] = string(val)
				}
				f.element(string(name), func(key string) string { return attrs[key] }, links)
			}
		case html.EndTagToken:
			in = ""
		case html.TextToken:
			switch in {
			case "":
				f.Words += len(bytes.Fields(z.Text()))
			case "title":
				f.Title = strings.Join(strings.Fields(string(z.Text())), " ")
			}
		default:
		}
	}
}
