# METADATA
# title: Reading a Next Action
# description: |
#   Whether a Next Action text asks for work that an agent can execute. Used where no todo carries the work; a todo
#   itself is never judged by it.
package loopx.lib.next_action

import data.loopx.settings

# METADATA
# title: The text asks for executable work
# description: It names work of a known form and no wait for somebody else. Several texts stand on lines of their own.
# custom:
#   id: lane.next_action_adv
#   settings: [wait, advancement]
executable(text) if {
	regex.match(advancement, text)
	not regex.match(wait, text)
}

advancement := any_of(settings.next_action.advancement)

wait := any_of(settings.next_action.wait)

any_of(patterns) := sprintf("(?ims)%s", [concat("|", patterns)])
