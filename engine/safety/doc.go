// Package safety finds private text: credentials, paths of one machine, links to private documents, raw payloads and the
// other classes that may not stand in public text. What is private is said by the bundle's settings (topic safety); this
// package only applies it to texts, to JSON values and to files. A hit names its class and place, never the text.
package safety
