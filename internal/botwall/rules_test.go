package botwall_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/stretchr/testify/assert"
)

// furniture is an ordinary page's text, too long for a wall.
var furniture = "<p>" + strings.Repeat("We sell hand-made oak furniture from a small workshop. ", 12) + "</p>"

// verdict is one row: header fields one a line, the body, and "kind vendor".
type verdict struct {
	name   string
	status int
	header string
	body   string
	want   string
}

func (v *verdict) answer() *answer {
	a := answer{Status: v.status, Body: v.body, Headers: map[string]string{"Content-Type": "text/html; charset=utf-8"}}
	for line := range strings.SplitSeq(v.header, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			a.Headers[name] = value
		}
	}
	return &a
}

func run(t *testing.T, rows []verdict) {
	t.Helper()
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.answer()
			got := botwall.Detect(a.Status, a.header(), []byte(a.Body))
			assert.Equal(t, tt.want, strings.TrimSpace(got.Kind.String()+" "+got.Vendor), "%+v", got)
		})
	}
}

func TestHeaders(t *testing.T) {
	rows := []verdict{
		{"cloudflare", 200, "Cf-Mitigated: challenge", furniture, "challenge cloudflare"},
		{"cloudflare on 429", 429, "Cf-Mitigated: challenge\nRetry-After: 10", "", "challenge cloudflare"},
		{"cloudflare, other words", 403, "Cf-Mitigated: managed_challenge", "", "challenge cloudflare"},
		{"cloudflare, old word", 403, "Cf-Mitigated: jschallenge", "", "challenge cloudflare"},
		{"cloudflare, block", 403, "Cf-Mitigated: block", "", "block cloudflare"},
		{"cloudflare, empty", 200, "Cf-Mitigated: ", "", "none"},
		{"vercel challenge", 403, "X-Vercel-Mitigated: challenge", "", "challenge vercel"},
		{"vercel deny", 403, "X-Vercel-Mitigated: deny\nContent-Type: text/plain", "Forbidden", "block vercel"},
		{"vercel hosted", 200, "X-Vercel-Id: x\nX-Vercel-Cache: HIT", "", "none"},
		{"aws challenge", 202, "X-Amzn-Waf-Action: challenge", "", "challenge awswaf"},
		{"aws captcha", 405, "X-Amzn-Waf-Action: captcha", "", "challenge awswaf"},
		{"aws request id", 200, "X-Amzn-Requestid: 1", "", "none"},
		{"siteground", 202, "Sg-Captcha: challenge", "", "challenge siteground"},
		{"siteground cdn", 200, "X-Sg-Cdn: 1", "", "none"},
		{"sucuri", 403, "X-Sucuri-Block: BLOCKED", "", "block sucuri"},
		{"sucuri cdn", 200, "X-Sucuri-Id: 1\nX-Sucuri-Cache: HIT", "", "none"},
		{"kasada on 429", 429, "X-Kpsdk-Ct: 0A", "", "challenge kasada"},
		{"kasada let in", 200, "X-Kpsdk-Ct: 0A", "", "none"},
		{"linkedin", 999, "", "", "block linkedin"},
		{"google", 302, "Location: https://www.google.co.uk/sorry/index?continue=x", "", "challenge google"},
		{"google by address", 302, "Location: https://ipv4.google.com/sorry/x", "", "challenge google"},
		{"google in a query", 302, "Location: /out?to=https://www.google.com/sorry/", "", "none"},
		{"not google", 302, "Location: https://google.evil.example.com/sorry/", "", "none"},
		{"google, no redirect", 200, "Location: https://www.google.com/sorry/", "", "none"},
		{"siteground redirect", 302, "Location: /.well-known/sgcaptcha/?r=x", "", "challenge siteground"},
		{"anubis refresh", 200, "Refresh: 2; url=/.within.website/x/cmd/anubis/api/pass-challenge?x", "", "challenge anubis"},
		{"go-away refresh", 418, "Refresh: 0; URL='/.well-known/.go-away/cmd/x'", "", "challenge go-away"},
		{"other refresh", 200, "Refresh: 0; url=/en/?from=/.well-known/.go-away/", "", "none"},
		{"cookies and presence", 403, "Set-Cookie: datadome=1; _abck=1; _pxhd=1; __cf_bm=1\nX-Iinfo: 1\nServer: cloudflare\nCf-Ray: 1", "", "none"},
	}
	run(t, rows)
	for _, tt := range rows {
		a := tt.answer()
		assert.Equal(t, botwall.Detect(a.Status, a.header(), []byte(a.Body)), botwall.FromHeader(a.Status, a.header()), tt.name)
	}
}

func TestOtherTypes(t *testing.T) {
	const dd, px = `{"url":"https://geo.captcha-delivery.com/interstitial/?x"}`, `{"appId":"PX0","blockScript":"/c.js"}`
	run(t, []verdict{
		{"datadome", 403, "Content-Type: application/json\nX-Datadome: protected", dd, "challenge datadome"},
		{"datadome without its header", 403, "Content-Type: application/json", dd, "none"},
		{"datadome quoted", 403, "Content-Type: application/json\nX-Datadome: protected", `{"note":"geo.captcha-delivery.com/"}`, "none"},
		{"datadome at 200", 200, "Content-Type: application/json\nX-Datadome: protected", dd, "none"},
		{"perimeterx", 403, "Content-Type: application/json; charset", px, "challenge perimeterx"},
		{"perimeterx in part", 403, "Content-Type: application/json", `{"appId":"PX0"}`, "none"},
		{"perimeterx in a list", 403, "Content-Type: application/json", "[" + px + "]", "none"},
		{"cloudflare line", 403, "Content-Type: text/plain\nServer: cloudflare", "error code: 1020\n", "block cloudflare"},
		{"cloudflare line, no type", 403, "Content-Type: \nServer: cloudflare", "error code: 1010", "block cloudflare"},
		{"cloudflare rate limit", 429, "Content-Type: text/plain\nServer: cloudflare", "error code: 1015", "none"},
		{"cloudflare tunnel", 530, "Content-Type: text/plain\nServer: cloudflare", "error code: 1033", "none"},
		{"cloudflare line, by ray", 403, "Content-Type: text/plain\nCf-Ray: 8f-HEL", "error code: 1020", "block cloudflare"},
		{"line of another server", 403, "Content-Type: text/plain", "error code: 1020", "none"},
		{"more than the line", 403, "Content-Type: text/plain\nServer: cloudflare", "error code: 1020 is about", "none"},
		{"five digits", 403, "Content-Type: text/plain\nServer: cloudflare", "error code: 10200", "none"},
		{"robots.txt", 200, "Content-Type: text/plain", "User-agent: *\nDisallow: /cdn-cgi/challenge-platform/\nDisallow: /.within.website/x/cmd/anubis/", "none"},
		{"robots.txt, no type", 200, "Content-Type: ", "User-agent: *\nDisallow: /_Incapsula_Resource", "none"},
		{"sitemap", 200, "Content-Type: application/xml", `<script>window._cf_chl_opt={}</script>`, "none"},
		{"page as text", 403, "Content-Type: text/plain", `<script>window._cf_chl_opt={}</script>`, "none"},
		{"xhtml", 403, "Content-Type: application/xhtml+xml", `<script>window._cf_chl_opt={}</script>`, "challenge cloudflare"},
		{"nothing", 403, "", "", "none"},
	})
}

func TestCloudflare(t *testing.T) { run(t, cloudflareRows()) }

func cloudflareRows() []verdict {
	const frame = `<div id="cf-error-details"><h1>Error <span>`
	return []verdict{
		{"options", 403, "", `<title>Hetki...</title><script>window._cf_chl_opt={cvId:"3"}</script>`, "challenge cloudflare"},
		{"options, bare 200", 200, "", `<script>window._cf_chl_opt={cvId:"3"}</script>`, "challenge cloudflare"},
		{"options, full 200", 200, "", `<script>window._cf_chl_opt={}</script>` + furniture, "none"},
		{"503 with Retry-After", 503, "Retry-After: 8", `<script>a.src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"</script>`, "challenge cloudflare"},
		{"orchestrate", 403, "", `<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/jsch/v1"></script>`, "challenge cloudflare"},
		{"turnstile page", 403, "", `<div id=turnstile-wrapper><iframe src="https://challenges.cloudflare.com/x"></iframe></div>`, "challenge cloudflare"},
		{"1020", 403, "", frame + `1020</span></h1></div>`, "block cloudflare"},
		{"1020, by class", 403, "", `<span class="x cf-error-code">1020</span>`, "block cloudflare"},
		{"title alone", 403, "", `<title>Attention Required! | Cloudflare</title>`, "block cloudflare"},
		{"other title alone", 403, "", `<title>Access denied | site.test used Cloudflare to restrict access</title>`, "block cloudflare"},
		{"block before challenge", 403, "", `<div id="cf-error-details"></div><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/x"></script>`, "block cloudflare"},
		{"1015 is a rate limit", 429, "Retry-After: 60", frame + `1015</span></h1></div>`, "none"},
		{"1015 on 403", 403, "", frame + `1015</span></h1></div>`, "none"},
		{"hotlinking", 403, "", frame + `1011</span></h1></div>`, "none"},
		{"frame on 429, no code", 429, "", `<div id="cf-error-details"></div>`, "none"},
		{"522", 522, "", `<div id="cf-error-details">Error code 522</div>`, "none"},
		{"530", 530, "", frame + `1016</span></h1></div>`, "none"},
		{"detection script", 403, "", `<script>window.__CF$cv$params={r:'0'};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>`, "none"},
		{"detection script, versioned", 404, "", `<script src="/cdn-cgi/challenge-platform/h/b/scripts/jsd/0a/main.js"></script>`, "none"},
		{"turnstile in a form", 200, "", `<form><div class="cf-turnstile"></div></form><iframe src="https://challenges.cloudflare.com/x">`, "none"},
		{"quoted in text", 403, "", `<pre>&lt;script&gt;window._cf_chl_opt={}</pre>`, "none"},
		{"quoted in a comment", 403, "", `<!-- <script>window._cf_chl_opt={}</script> -->`, "none"},
		{"quoted in data", 200, "", `<div id=app></div><script type="application/json">{"article":"window._cf_chl_opt={}"}</script>`, "none"},
		{"quoted in a template", 403, "", `<template><div id="cf-error-details"></div><script>_cf_chl_opt={}</script></template>`, "none"},
		{"asked for", 404, "", `<script>if (window._cf_chl_opt) report(); if (_cf_chl_opt == null) go()</script>`, "none"},
		{"assigned with blanks", 403, "", `<script>if (window._cf_chl_opt) x; window._cf_chl_opt = {cvId: '3'}</script>`, "challenge cloudflare"},
		{"only a name", 200, "", `<title>Just a moment...</title>`, "none"},
	}
}

func TestEdges(t *testing.T) { run(t, edgeRows()) }

func edgeRows() []verdict {
	const ref = "Reference&#32;&#35;18&#46;1234ab&#46;1700000000&#46;abcdef0"
	const aws = `<h2>The request could not be satisfied</h2>%s<pre>Generated by cloudfront (CloudFront)</pre>`
	return []verdict{
		{"akamai", 403, "", ref + "<p>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18</p>", "block akamai"},
		{"akamai by server", 403, "Server: AkamaiGHost", ref, "block akamai"},
		{"akamai, reference alone", 403, "", ref, "none"},
		{"akamai, short reference", 403, "Server: AkamaiGHost", "Reference #18.12ab.17", "none"},
		{"akamai failure", 503, "Server: AkamaiGHost", ref, "none"},
		{"akamai challenge", 428, "", `<div id="sec-if-cpt-container"></div>`, "challenge akamai"},
		{"akamai sensor", 403, "Set-Cookie: _abck=1", `<script src="/akam/13/0a1b"></script>`, "none"},
		{"imperva", 200, "", `<iframe id=main-iframe src="/_Incapsula_Resource?CWUDNSAI=9">Request unsuccessful.</iframe>`, "block imperva"},
		{"imperva, 200 with text", 200, "", furniture + `<iframe src="/_Incapsula_Resource?CWUDNSAI=9"></iframe>`, "none"},
		{"imperva script", 403, "", `<script src="/_Incapsula_Resource?SWJIYLWA=7"></script>`, "none"},
		{"imperva challenge", 405, "", `<title>Pardon Our Interruption</title>`, "challenge imperva"},
		{"imperva challenge on 200", 200, "", `<title>Pardon Our Interruption...</title><p>something about your browser made us think you were a bot`, "challenge imperva"},
		{"imperva title on 200", 200, "", `<title>Pardon Our Interruption</title>`, "none"},
		{"aws", 202, "", `<script>window.gokuProps={}</script><script src="https://a.edge.sdk.awswaf.com/x/challenge.js"></script>`, "challenge awswaf"},
		{"aws script alone", 202, "", `<script src="https://a.edge.sdk.awswaf.com/x/challenge.js"></script>`, "none"},
		{"cloudfront block", 403, "", strings.Replace(aws, "%s", "Request blocked.", 1), "block awswaf"},
		{"cloudfront country", 403, "", strings.Replace(aws, "%s", "is configured to block access from your country.", 1), "block cloudfront"},
		{"cloudfront failure", 504, "", strings.Replace(aws, "%s", "Request blocked.", 1), "none"},
		{"cloudfront, other 403", 403, "", strings.Replace(aws, "%s", "Bad request.", 1), "none"},
		{"sucuri", 403, "", `<title>Sucuri WebSite Firewall - Access Denied</title>`, "block sucuri"},
		{"sucuri by text", 403, "", `<p>Access Denied - Sucuri Website Firewall</p>`, "block sucuri"},
		{"sucuri in an article", 200, "", `<title>Sucuri WebSite Firewall</title>Access Denied - Sucuri Website Firewall`, "none"},
		{"sucuri challenge", 307, "Location: /", `<script>sucuri_cloudproxy_js=''</script>`, "challenge sucuri"},
		{"f5", 200, "", "The requested URL was rejected. Please consult with your administrator.<br>Your support ID is: 1", "block f5"},
		{"f5 quoted", 200, "", furniture + "The requested URL was rejected. Please consult with your administrator. Your support ID is: 1", "none"},
		{"f5 challenge", 200, "", `<script>window["bobcmn"]="1"</script><script src="/TSPD/08?type=9"></script>`, "challenge f5"},
		{"f5 script on a page", 200, "", furniture + `<script>window["bobcmn"]="1"</script><script src="/TSPD/08?type=9"></script>`, "none"},
		{"fastly", 200, "", `<title>Client Challenge</title><script src="/_fs-ch-1T/script.js"></script>`, "challenge fastly"},
		{"fastly cdn", 200, "X-Served-By: cache", `<title>Client Challenge</title>`, "none"},
		{"vercel", 429, "", `<title> Vercel Security Checkpoint </title>`, "challenge vercel"},
		{"vercel in an article", 200, "", `<title>Vercel Security Checkpoint</title>` + furniture, "none"},
		{"siteground", 202, "", `<meta content="0;/.well-known/sgcaptcha/?r=x" http-equiv="Refresh">`, "challenge siteground"},
		{"siteground script", 202, "", `<script>const sgsubmit_url=1</script>`, "challenge siteground"},
		{"siteground, no refresh", 202, "", `<meta name=x content="/.well-known/sgcaptcha/">`, "none"},
		{"siteground rule", 403, "", `The page is restricted due to a security rule.`, "block siteground"},
		{"language refresh", 200, "", `<meta http-equiv=refresh content="0;url=/en/">`, "none"},
		{"stackpath", 403, "", `<title>StackPath</title>This website is using a security service for protection against online attacks.`, "block stackpath"},
		{"stackpath by title", 403, "", `<title>StackPath</title>`, "block stackpath"},
		{"stackpath by sentence", 403, "", `It is using a security service for protection against online attacks.`, "block stackpath"},
		{"stackpath title on 200", 200, "", `<title>StackPath</title>`, "none"},
		{"aliyun", 200, "", `<script>document.cookie='acw_sc__v2='+x</script>`, "challenge aliyun"},
		{"aliyun on a page", 200, "", furniture + `<script>document.cookie='acw_sc__v2='+x</script>`, "none"},
		{"azure", 403, "X-Azure-Ref: 0", `The request is blocked.`, "block azure"},
		{"azure, no reference", 403, "", `The request is blocked.`, "none"},
	}
}

func TestBots(t *testing.T) { run(t, botRows()) }

func botRows() []verdict {
	const goAway = `<footer>Protected by <a href="https://git.gammaspectra.live/git/go-away">go-away</a></footer>`
	return []verdict{
		{"datadome", 403, "", `<script>var dd={'rt':'i','host':'geo.captcha-delivery.com'}</script>`, "challenge datadome"},
		{"datadome, banned", 403, "", `<script>var dd={'rt':'c','t':'bv','host':'geo.captcha-delivery.com'}</script>`, "block datadome"},
		{"datadome tag", 403, "X-Datadome: protected", `<script src="https://js.datadome.co/tags.js"></script>`, "none"},
		{"perimeterx", 403, "", `<div id="px-captcha"></div>`, "challenge perimeterx"},
		{"perimeterx by script", 403, "", `<script src="https://captcha.px-cloud.net/PX0/captcha.js"></script>`, "challenge perimeterx"},
		{"perimeterx block", 403, "", `<a href="https://www.perimeterx.com/whywasiblocked">why</a>`, "block perimeterx"},
		{"perimeterx sensor", 403, "", `<script>window._pxAppId="PX0"</script>`, "none"},
		{"perimeterx in an article", 200, "", `<a href="https://www.perimeterx.com/whywasiblocked">why</a>`, "none"},
		{"kasada", 403, "", `<script>KPSDK.now()</script>`, "challenge kasada"},
		{"kasada on 200", 200, "", `<script>KPSDK.scriptStart=1</script>`, "challenge kasada"},
		{"kasada configured on 403", 403, "", `<script>KPSDK.configure([{}])</script>`, "none"},
		{"kasada on 404", 404, "", furniture + `<script>window.KPSDK={};KPSDK.now()</script>`, "none"},
		{"kasada configured", 200, "", `<div id=root></div><script>KPSDK.configure([])</script>`, "none"},
		{"anubis", 200, "", `<script id="anubis_challenge" type="application/json">{}</script><details><summary>Why?</summary>` + furniture + `</details>`, "challenge anubis"},
		{"anubis asset", 200, "", `<img src="/.within.website/x/cmd/anubis/static/img/happy.webp">`, "challenge anubis"},
		{"anubis reject", 200, "", `<img src="/.within.website/x/cmd/anubis/static/img/reject.webp">`, "block anubis"},
		{"anubis linked", 200, "", `<a href="https://github.com/TecharoHQ/anubis">Anubis</a>`, "none"},
		{"go-away", 418, "", goAway, "challenge go-away"},
		{"go-away asset", 200, "", `<script src="/.well-known/.go-away/assets/x.mjs"></script>` + goAway, "challenge go-away"},
		{"go-away deny", 403, "", `<p>Error: access denied</p>` + goAway, "block go-away"},
		{"go-away deny on 418", 418, "", `<p>Error: access denied</p>` + goAway, "block go-away"},
		{"go-away in an article", 200, "", furniture + goAway, "none"},
		{"go-away linked", 200, "", `<a href="https://git.gammaspectra.live/git/go-away">a project</a>`, "none"},
		{"teapot", 418, "", `I'm a teapot`, "none"},
		{"wordfence with Retry-After", 503, "Retry-After: 60", `<address>This response was generated by <b>Wordfence</b>.</address>`, "block wordfence"},
		{"wordfence", 403, "", `<p>Generated by Wordfence</p>`, "block wordfence"},
		{"wordfence by its rules", 403, "", `<p>Blocked by Wordfence firewall rules</p>`, "block wordfence"},
		{"wordfence on a page", 200, "", `<link rel=stylesheet href="/wp-content/plugins/wordfence/a.css">Generated by Wordfence`, "none"},
		{"wordfence in a long 403", 403, "", strings.Repeat(furniture, 5) + `<p>Generated by Wordfence</p>`, "none"},
		{"ddos-guard", 403, "", `<title>DDoS-Guard</title><div id="link-ddg"></div>`, "challenge ddos-guard"},
		{"ddos-guard by server", 403, "Server: ddos-guard", `<title>DDoS-Guard</title>`, "challenge ddos-guard"},
		{"ddos-guard title", 403, "", `<title>DDoS-Guard</title>`, "none"},
		{"imunify360", 415, "", `<div class="imunify360-preloader">`, "challenge imunify360"},
		{"reblaze", 403, "", `Current session has been terminated. For further information, do not hesitate to contact us.`, "block reblaze"},
		{"reblaze on 404", 404, "", `Current session has been terminated. Please do not hesitate to contact us.`, "none"},
		{"reblaze in a long 403", 403, "", strings.Repeat(furniture, 5) + `Current session has been terminated. Please do not hesitate to contact us.`, "none"},
		{"reblaze in part", 403, "", `Current session has been terminated.`, "none"},
		{"amazon", 503, "", `<form action="/errors/validateCaptcha"><meta content="csm-captcha-instrumentation"></form>`, "challenge amazon"},
		{"amazon, form alone", 503, "", `<form action="/errors/validateCaptcha"></form>`, "challenge amazon"},
		{"amazon, form alone on a page", 503, "", furniture + `<form action="/errors/validateCaptcha"></form>`, "none"},
		{"amazon linked", 503, "", `<a href="/errors/validateCaptcha">x</a>`, "none"},
		{"google captcha", 429, "", `<form id="captcha-form"></form>Our systems have detected unusual traffic from your computer network`, "challenge google"},
		{"google", 429, "", `Our systems have detected unusual traffic from your computer network`, "block google"},
		{"google in a long 429", 429, "", strings.Repeat(furniture, 5) + `Our systems have detected unusual traffic from your computer network`, "none"},
		{"rate limit in nearly those words", 429, "", `Our systems have detected unusual traffic from your account. Try again later.`, "none"},
		{"google quoted", 200, "", `Our systems have detected unusual traffic from your computer network`, "none"},
		{"reddit", 403, "", `You've been blocked by network security.`, "block reddit"},
		{"a company's proxy", 403, "", `This page is blocked by network security policy.`, "none"},
		{"reddit on 404", 404, "", `You've been blocked by network security.`, "none"},
		{"reddit on a page", 403, "", furniture + `You've been blocked by network security.`, "none"},
	}
}

func TestCaptchas(t *testing.T) {
	run(t, []verdict{
		{"hcaptcha", 403, "", `<form><div class="x h-captcha"></div></form>`, "challenge hcaptcha"},
		{"recaptcha", 503, "", `<div class="g-recaptcha"></div>`, "challenge recaptcha"},
		{"arkose", 403, "", `<script src="https://client-api.arkoselabs.com/v2/0/api.js"></script>`, "challenge arkose"},
		{"turnstile", 429, "", `<div class="cf-turnstile"></div>`, "challenge cloudflare"},
		{"at 200", 200, "", `<div class="h-captcha"></div>`, "none"},
		{"at 404", 404, "", `<div class="h-captcha"></div>`, "none"},
		{"with text", 403, "", furniture + `<div class="h-captcha"></div>`, "none"},
		{"sign-in", 403, "", `<form><input type=Password><div class="h-captcha"></div></form>`, "none"},
		{"newsletter", 403, "", `Forbidden <form><input type=email name=e><div class="g-recaptcha"></div></form>`, "none"},
		{"search", 503, "", `<input type=search><div class="cf-turnstile"></div>`, "none"},
		{"hidden field", 403, "", `<form><input type=hidden name=r><input type=submit><div class="h-captcha"></div></form>`, "challenge hcaptcha"},
		{"part of a name", 403, "", `<div class="no-h-captcha h-captcha-x"></div>`, "none"},
	})
}

func TestRefusalsAndLimitsAreNoWalls(t *testing.T) {
	const denied = `<title>Access Denied</title><h1>Access Denied</h1><p>You do not have permission. Are you a robot?</p>`
	for _, status := range []int{200, 202, 401, 402, 403, 404, 405, 410, 418, 429, 451, 500, 503, 509} {
		run(t, []verdict{{"denied", status, "Retry-After: 60", denied, "none"}})
	}
}

// TestNoPageWithTextIsAWall puts an ordinary page's text behind every marker and sentence
// of the tables above, and answers it with 200.
func TestNoPageWithTextIsAWall(t *testing.T) {
	for _, tt := range slices.Concat(cloudflareRows(), edgeRows(), botRows()) {
		tt.status, tt.header, tt.body = 200, "Server: ddos-guard, cloudflare, AkamaiGHost\nX-Azure-Ref: 0", tt.body+furniture
		a := tt.answer()
		assert.Zero(t, botwall.Detect(a.Status, a.header(), []byte(a.Body)), tt.name)
	}
}
