package botwall

import "bytes"

// marks is the set of markers a page showed. Each bit is an element, an address or a
// script of a service's own page; what they prove together is decided in the rules.
type marks uint64

const (
	cfErrorDetails marks = 1 << iota
	cfErrorCode
	cfChallengeOptions
	cfOrchestrate
	cfTurnstileFrame
	cfTurnstileWrapper
	cfTurnstile
	akamaiContainer
	impervaFrame
	impervaInterstitial
	ddObject
	ddHost
	ddBanned
	pxCaptcha
	pxWhy
	awsGoku
	awsScript
	amazonForm
	amazonMeta
	sucuriScript
	kasadaScript
	kasadaStart
	f5Script
	f5Config
	fastlyScript
	sgRefresh
	sgScript
	anubisData
	anubisAsset
	anubisReject
	goAwayAsset
	goAwayLink
	ddgLink
	ddgScript
	imunifyPreloader
	aliyunCookie
	googleForm
	hCaptcha
	reCaptcha
	arkose
	field // to fill in
)

func (m marks) has(all marks) bool { return m&all == all }

func (m marks) any(some marks) bool { return m&some != 0 }

func idMarks(id []byte) marks {
	switch string(id) {
	case "cf-error-details":
		return cfErrorDetails
	case "turnstile-wrapper":
		return cfTurnstileWrapper
	case "sec-if-cpt-container":
		return akamaiContainer
	case "interstitial-inprogress", "distilIdentificationBlock":
		return impervaInterstitial
	case "px-captcha":
		return pxCaptcha
	case "anubis_challenge":
		return anubisData
	case "link-ddg":
		return ddgLink
	case "captcha-form", "infoDiv0":
		return googleForm
	case "funcaptcha":
		return arkose
	}
	return 0
}

func classMarks(class []byte) marks {
	var m marks
	for name := range bytes.FieldsSeq(class) {
		switch string(name) {
		case "cf-error-code":
			m |= cfErrorCode
		case "cf-turnstile":
			m |= cfTurnstile
		case "h-captcha":
			m |= hCaptcha
		case "g-recaptcha":
			m |= reCaptcha
		case "imunify360-preloader":
			m |= imunifyPreloader
		}
	}
	return m
}

// element is what the rules tell apart by name.
type element uint8

const (
	otherElement element = iota
	anchor
	form
	frame
	image
	input
	link
	meta
	script
)

func elementOf(name []byte) element {
	switch string(name) {
	case "a":
		return anchor
	case "form":
		return form
	case "iframe", "frame":
		return frame
	case "img":
		return image
	case "input":
		return input
	case "link":
		return link
	case "meta":
		return meta
	case "script":
		return script
	}
	return otherElement
}

// urlMarks judges the address an element carries. Where the same address on another kind
// of element is found on ordinary pages (Imperva's script, a link to a project), only the
// right kind counts.
func urlMarks(e element, addr []byte) marks {
	has := func(part string) bool { return bytes.Contains(addr, []byte(part)) }
	var m marks
	set := func(on bool, mark marks) {
		if on {
			m |= mark
		}
	}
	switch e {
	case anchor:
		set(has("gammaspectra.live/git/go-away"), goAwayLink) // up to 32 bytes are no allocation
		set(has("perimeterx.com/whywasiblocked") || has("perimeterx.net/whywasiblocked"), pxWhy)
	case frame:
		set(has("/_Incapsula_Resource"), impervaFrame)
		set(has("//challenges.cloudflare.com/"), cfTurnstileFrame)
	case form:
		set(has("/errors/validateCaptcha"), amazonForm)
	case script:
		set(has("/cdn-cgi/challenge-platform/") && has("/orchestrate/"), cfOrchestrate)
		set(has("captcha-delivery.com/"), ddHost)
		set(has("captcha.px-cdn.net/") || has("captcha.px-cloud.net/"), pxCaptcha)
		set(has(".awswaf.com/"), awsScript)
		set(has("/TSPD/"), f5Script)
		set(has("/_fs-ch-"), fastlyScript)
		set(has("/.well-known/ddos-guard/"), ddgScript)
		set(has("arkoselabs.com/"), arkose)
	default:
	}
	if e == script || e == image || e == link || e == form {
		set(has("/.within.website/x/cmd/anubis/"), anubisAsset)
		set(m.has(anubisAsset) && has("anubis/static/img/reject."), anubisReject)
		set(has("/.well-known/.go-away/"), goAwayAsset)
	}
	return m
}

// scriptMarks judges inline script.
func scriptMarks(text []byte) marks {
	has := func(part string) bool { return bytes.Contains(text, []byte(part)) }
	var m marks
	set := func(on bool, mark marks) {
		if on {
			m |= mark
		}
	}
	set(assigns(text, "_cf_chl_opt"), cfChallengeOptions)
	set(has("/cdn-cgi/challenge-platform/") && has("/orchestrate/"), cfOrchestrate)
	set(has("var dd=") || has("var dd ="), ddObject)
	set(has("captcha-delivery.com"), ddHost)
	set(has("'t':'bv'") || has(`"t":"bv"`), ddBanned)
	set(has("gokuProps"), awsGoku)
	set(has("sucuri_cloudproxy_js"), sucuriScript)
	// Ordinary pages configure it: only the page of a challenge starts it.
	set(bytes.Count(text, []byte("KPSDK.")) > bytes.Count(text, []byte("KPSDK.configure")), kasadaScript)
	set(has("KPSDK.scriptStart"), kasadaStart)
	set(has("bobcmn") || has("failureConfig"), f5Config)
	set(has("sgsubmit_url"), sgScript)
	set(has("acw_sc__v2"), aliyunCookie)
	return m
}

// assigns looks for an assignment to a variable: a script that only asks for it is that of
// a page which watches out for walls.
func assigns(script []byte, name string) bool {
	for rest := script; ; {
		_, after, ok := bytes.Cut(rest, []byte(name))
		if !ok {
			return false
		}
		rest = after
		if value, ok := bytes.CutPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte("=")); ok && !bytes.HasPrefix(value, []byte("=")) {
			return true
		}
	}
}
