# METADATA
# title: Documents without empty keys
# description: Conditional fields are written as null and dropped here, so that a document reads as one object.
package loopx.lib.compact

# METADATA
# title: The object without its null values
object(o) := {key: value | some key, value in o; value != null}
