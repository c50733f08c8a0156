package politefetch

import (
	"net/url"
	"path"
	"strings"
)

// looksLikeHTML reports whether an address does not end like something that is surely not
// HTML.
func looksLikeHTML(u *url.URL) bool {
	if isAsset(u) {
		return false
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".atom", ".csv", ".json", ".jsonld", ".md", ".rss", ".txt", ".xml", ".yaml", ".yml",
		".7z", ".apk", ".bz2", ".dmg", ".exe", ".gz", ".iso", ".jar", ".msi", ".rar", ".tar", ".tgz", ".xz", ".zip", ".zst":
		return false
	}
	return true
}

// isAsset reports whether an address ends like an image, a film, a sound, a font, a style
// sheet, a script or a document: what is neither a page nor a list of pages.
func isAsset(u *url.URL) bool {
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".avif", ".bmp", ".gif", ".heic", ".ico", ".jpeg", ".jpg", ".jxl", ".png", ".svg", ".svgz", ".tif", ".tiff", ".webp",
		".3gp", ".avi", ".flv", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ogv", ".ts", ".webm", ".wmv",
		".aac", ".flac", ".m4a", ".mid", ".mp3", ".oga", ".ogg", ".opus", ".wav", ".wma",
		".eot", ".otf", ".ttf", ".woff", ".woff2",
		".css", ".js", ".map", ".mjs", ".wasm",
		".doc", ".docx", ".epub", ".odp", ".ods", ".odt", ".pdf", ".ppt", ".pptx", ".ps", ".rtf", ".xls", ".xlsx":
		return true
	}
	return false
}
