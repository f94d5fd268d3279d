# METADATA
# title: Short hashes
# description: |
#   Identities and tokens are the first hex characters of a SHA-256 over JSON text in the form Python writes by
#   default: sorted keys, ", " and ": ", every character outside ASCII escaped. Go's encoder escapes < > & as well
#   and breaks lines; both are undone here, in one pass from left to right, so that a backslash pair is passed as a whole.
package loopx.lib.hash

# METADATA
# title: First hex characters of the hash
# description: "value: any; n: 1 to 64."
short(value, n) := substring(crypto.sha256(text(value)), 0, n)

# METADATA
# title: JSON text as Python writes it
text(value) := strings.replace_n(ascii(line), line) if {
	line := strings.replace_n(
		{`\\`: `\\`, `\u003c`: "<", `\u003e`: ">", `\u0026`: "&", ",\n": ", ", "\n": ""},
		json.marshal_with_options(value, {"pretty": true, "indent": ""}),
	)
}

ascii(line) := {char: escape(char) | some char in regex.find_n(`[^\x00-\x7f]`, line, -1)}

escape(char) := trim(quoted, `"`) if {
	quoted := sprintf("%+q", [char])
	startswith(quoted, `"\u`)
}

# outside the basic plane JSON takes two halves of ten bits
escape(char) := sprintf(`\u%04x\u%04x`, [55296 + floor(over / 1024), 56320 + (over % 1024)]) if {
	quoted := sprintf("%+q", [char])
	startswith(quoted, `"\U`)
	over := number(substring(quoted, 5, 6)) - 65536
}

# METADATA
# title: The number that hex digits write
# description: "hex: at most 13 lower case digits, so that the sum is exact."
number(hex) := sum([part |
	weights := array.slice(place_values, 13 - count(hex), 13)
	some at, char in split(hex, "")
	part := digits[char] * weights[at]
])

digits := {char: value | some value, char in split("0123456789abcdef", "")}

place_values := [bits.lsh(1, 4 * place) | some place in numbers.range(12, 0)]
