package sitemap

// ParseDate lets tests read dates without a sitemap around them.
var ParseDate = parseDate
