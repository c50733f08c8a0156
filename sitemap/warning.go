package sitemap

// Warning is something that was forgiven while reading.
type Warning struct {
	Code   WarningCode
	Offset int64  // in bytes of decoded data, after the place
	Value  string // the text in question where there is one, at most 100 bytes
}

// WarningCode names a kind of warning; callers may store it.
type WarningCode string

// The warning codes.
const (
	WarnLeadingJunk  WarningCode = "leading_junk"  // something before the root element
	WarnTrailingJunk WarningCode = "trailing_junk" // something after the root element
	WarnStructure    WarningCode = "structure"     // mis-nested or unclosed markup
	WarnBadEntity    WarningCode = "bad_entity"    // a bare "&", or an entity XML doesn't know
	WarnControlChar  WarningCode = "control_char"  // control characters inside a value, dropped
	WarnEntryDropped WarningCode = "entry_dropped" // an entry without a usable URL
	WarnExtraDropped WarningCode = "image_dropped" // an image without a usable URL, or too many extensions
	WarnLineDropped  WarningCode = "line_dropped"  // a line of a text sitemap that is no URL
	WarnBadLastMod   WarningCode = "bad_lastmod"
	WarnBadFreq      WarningCode = "bad_changefreq"
	WarnBadPriority  WarningCode = "bad_priority"
	WarnWrongCharset WarningCode = "wrong_charset" // the declared charset is unknown or not the real one
	WarnInvalidUTF8  WarningCode = "invalid_utf8"  // single bytes read as windows-1252
	WarnGzipTrailing WarningCode = "gzip_trailing" // bytes after the compressed data, ignored
	WarnGzipNested   WarningCode = "gzip_nested"   // gzip within gzip
	WarnDoctype      WarningCode = "doctype"       // a document type declaration, skipped
	WarnMixed        WarningCode = "mixed"         // a sitemap among pages or a page among sitemaps
	WarnCase         WarningCode = "case"          // an element in another case than specified
	WarnRelative     WarningCode = "relative"      // a relative URL, resolved
	WarnSchemeAdded  WarningCode = "scheme_added"  // a URL without its scheme, or with one slash, repaired
	WarnSpaceInLoc   WarningCode = "space_in_loc"  // white space inside a URL, escaped or removed
	WarnLocTooLong   WarningCode = "loc_too_long"  // longer than the 2,048 bytes of sitemaps.org
)

const maxWarningValue = 100
