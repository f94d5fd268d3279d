# METADATA
# title: Documents without empty keys
# description: Conditional fields are written as null and dropped here, so that a document reads as one object.
package loopx.lib.compact

# METADATA
# title: The keys of an object that are not null
present(o) := object.remove(o, {key | o[key] == null})
