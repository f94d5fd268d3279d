# METADATA
# title: Metadata of todos in their written form
# description: |
#   Brings values given for metadata keys into the form in which they are written, and says which of them cannot be used.
#   Which keys a command may write is decided by the commands.
package loopx.writeback.todo_fields

import data.loopx.settings.todo_write as settings

collapse(text) := trim_space(regex.replace(text, `\s+`, " "))

normal("text", text) := collapse(text)

normal("word", text) := lower(collapse(text))

normal("agent", text) := replace(lower(collapse(text)), " ", "-")

normal("capability", text) := replace(replace(lower(collapse(text)), "-", "_"), " ", "_")

# METADATA
# title: Values as they are written
# description: "asked: {fields?, lists?, repository?}. Lists are joined with commas, each item once; agents are sorted."
metadata(asked) := object.union_n([
	{key: value |
		some key, raw in object.get(asked, "fields", {})
		key != "task_repository"
		value := normal(settings.fields[key].form, raw)
	},
	{"task_repository": asked.repository | asked.repository},
	{key: concat(",", ordered(key, given)) |
		some key, raws in object.get(asked, "lists", {})
		given := items(key, raws)
	},
])

items(key, raws) := [normal(settings.lists[key].form, part) | some raw in raws; some part in regex.split(`[,;|]`, raw)]

ordered("excluded_agents", list) := sort({item | some item in list})

ordered(key, list) := [item | some i, item in list; not item in array.slice(list, 0, i)] if key != "excluded_agents"

# METADATA
# title: Values that cannot be used
# description: A sorted list of [key, value as given].
unusable(asked) := sort(({[key, raw] | some key, raw in object.get(asked, "fields", {}); not usable(asked, key, raw)} | {[key, raw] |
	some key, raws in object.get(asked, "lists", {})
	some raw in raws
	some item in items(key, [raw])
	not listable(key, item)
}))

usable(_, key, raw) if {
	spec := settings.fields[key]
	regex.match(spec.pattern, normal(spec.form, raw))
	not key in settings.times
	key != "task_repository"
}

usable(asked, key, _) if {
	key in settings.times
	asked.times_ns[key]
}

usable(asked, "task_repository", _) if asked.repository

listable(key, item) if {
	regex.match(settings.lists[key].pattern, item)
	not key == "required_write_scopes"
}

listable("required_write_scopes", item) if {
	regex.match(settings.lists.required_write_scopes.pattern, item)
	not ".." in split(item, "/")
}

# METADATA
# title: Written values as the rules read them
# description: Flags are booleans, lists are lists, everything else is text.
facts(metadata) := {key: fact(key, text) | some key, text in metadata}

fact(key, text) := text == "true" if key in settings.booleans

fact(key, text) := split(text, ",") if settings.lists[key]

fact(key, text) := text if {
	not key in settings.booleans
	not settings.lists[key]
}
