package collect

import (
	"cmp"
	"slices"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/workspace"
)

// ledgerFacts reads what the commands need that keep the ledger and the records of polls. The facts of the caller are copied,
// because a write may be decided more than once.
func (c *Collector) ledgerFacts(w *facts.Write) error {
	if w.Spend != nil {
		spend := *w.Spend
		private, err := c.private(spend.ReasonSummary)
		if err != nil {
			return err
		}
		spend.Private = private
		if here, ok := workspace.Read(cmp.Or(c.route.Dir, ".")); ok && here.Repository != "" {
			spend.Workspace = &facts.Workspace{TaskRepository: here.Repository}
		}
		w.Spend = &spend
	}
	if w.Void != nil {
		void := *w.Void
		private, err := c.private(void.ReasonSummary)
		if err != nil {
			return err
		}
		void.Private = private
		w.Void = &void
	}
	if w.Poll != nil {
		poll := *w.Poll
		private, err := c.private(poll.ReasonSummary)
		if err != nil {
			return err
		}
		poll.Private = private
		w.Poll = &poll
	}
	return nil
}

// private names the classes of private text in a summary that is to become public.
func (c *Collector) private(summary string) ([]string, error) {
	if summary == "" || c.settings.Private == nil {
		return nil, nil
	}
	classes, err := c.settings.Private(summary)
	slices.Sort(classes)
	return slices.Compact(classes), err
}
