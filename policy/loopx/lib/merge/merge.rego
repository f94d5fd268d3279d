# METADATA
# title: Merging objects
# description: For packages whose own rule is named `object` and hides the builtins of that name.
package loopx.lib.merge

# METADATA
# title: One object of many
# description: A later part wins over an earlier one.
all(parts) := object.union_n(parts)
