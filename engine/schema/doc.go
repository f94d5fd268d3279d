// Package schema holds documents against JSON Schema 2020-12: the part of it that this project's schemas use.
//
// It checks policy values as they are and turns a schema into its working form only where a document leads, which is
// what a program that starts for one answer needs: a general library spends more time on compiling one large schema
// than the whole decision takes. What it does not know it refuses: an unknown keyword is an error, never ignored. Tests hold
// it against such a library.
package schema
