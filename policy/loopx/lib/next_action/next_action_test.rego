package loopx.lib.next_action_test

import data.loopx.lib.next_action

cases := {
	"chain": {"text": "Collect the repeats and then rebuild the labels.", "want": true},
	"first verb": {"text": "Run the eval.", "want": true},
	"verb after a colon": {"text": "Next: implement the parser", "want": true},
	"verb after a full stop": {"text": "Read it. Validate the gate.", "want": true},
	"verb in the middle": {"text": "Carry on with the parser work and run its unit tests.", "want": false},
	"verb at the start of the second text": {"text": "Carry on\nRun the eval", "want": true},
	"a wait in another text": {"text": "Run the eval\nBlocked on owner approval", "want": false},
	"planning": {"text": "Do a planning pass.", "want": true},
	"self-repair": {"text": "Use the self-repair capability.", "want": true},
	"advancement class": {"text": "Pick an advancement-class item.", "want": true},
	"advance class": {"text": "Pick an advance-class item.", "want": true},
	"backlog": {"text": "We advance the primary backlog.", "want": true},
	"eligible turn": {"text": "Use the next eligible advancement turn.", "want": true},
	"package": {"text": "Then package the runner adapter.", "want": true},
	"select": {"text": "Now select one validation step.", "want": true},
	"material": {"text": "A local-material-ready task exists.", "want": true},
	"hypothesis": {"text": "We test one validation hypothesis.", "want": true},
	"chain without a second verb": {"text": "We collect notes and read them.", "want": false},
	"do not run": {"text": "Run nothing; do not launch the job until Monday.", "want": false},
	"waiting": {"text": "Run the eval; blocked on owner approval.", "want": false},
	"plain": {"text": "Wait for the vendor metrics.", "want": false},
}

test_lane_next_action_adv[name] if {
	some name, case in cases
	got := {text | some text in [case.text]; next_action.executable(text)}
	want := {text | some text in [case.text]; case.want}
	got == want
}
