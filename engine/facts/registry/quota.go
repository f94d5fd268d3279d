package registry

import (
	"math"
	"strconv"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
)

const (
	ruleQuotaInvalid = "quota.invalid"
	// maxUnits bounds window_hours and slot_minutes: more than a century, and its nanoseconds still fit in 64 bits.
	maxUnits = 1_000_000
	maxSlots = 1_000_000_000
)

// quota reads the quota block (state-files.md 2.3). Only an absent key is absent: null is a value.
func (r *row) quota() {
	q, n := &r.goal.Quota, r.node.Get("quota")
	if n != nil && n.Kind != jsontree.Object {
		r.badQuota(n, "quota", "an object")
		n = nil
	}
	compute, path := n.Get("compute"), "quota.compute"
	if compute == nil {
		compute, path = r.node.Get("compute_quota"), "compute_quota"
	}
	if compute != nil {
		if value, ok := number(compute); ok && value >= 0 {
			q.Compute = &value
		} else {
			r.badQuota(compute, path, "a finite number that is not negative")
		}
	}
	q.WindowHours = r.units(n, "window_hours", 1, maxUnits)
	q.SlotMinutes = r.units(n, "slot_minutes", 1, maxUnits)
	q.AllowedSlots = r.units(n, "allowed_slots", 0, maxSlots)
	q.Burst = r.burst(n.Get("burst"))
	if next := child(n, "next_eligible_at"); next != nil {
		if next.Kind == jsontree.String {
			q.NextEligibleAt = strings.TrimSpace(next.Text)
		} else {
			r.badQuota(next, "quota.next_eligible_at", "a time")
		}
	}
}

func (r *row) badQuota(n *jsontree.Node, path, want string) {
	r.finding("quota_value_invalid", ruleQuotaInvalid, n.Line, "%s is %s, want %s", path, describe(n), want)
}

// units reads a number whose fraction is cut off.
func (r *row) units(parent *jsontree.Node, key string, least, most float64) *int64 {
	n := parent.Get(key)
	if n == nil {
		return nil
	}
	value, ok := number(n)
	if value = math.Trunc(value); !ok || value < least || value > most {
		r.badQuota(n, "quota."+key, "a number from "+strconv.FormatFloat(least, 'f', -1, 64)+" to "+
			strconv.FormatFloat(most, 'f', -1, 64))
		return nil
	}
	whole := int64(value)
	return &whole
}

func (r *row) burst(n *jsontree.Node) *facts.Burst {
	if n == nil || n.Kind == jsontree.Null {
		return nil
	}
	slots, ok := wholeNumber(n.Get("slots"))
	if !ok || slots < 1 || slots > maxSlots {
		r.badQuota(n, "quota.burst", "an object with slots of at least 1 and expires_at")
		return nil
	}
	expires := textOf(n.Get("expires_at"))
	at, ok := isotime.ParseNS(expires)
	if !ok {
		r.badQuota(n, "quota.burst", "an object with a readable expires_at")
		return nil
	}
	return &facts.Burst{Slots: slots, ExpiresAt: strings.TrimSpace(expires), ExpiresNS: at}
}

// number reads a finite number or numeric string.
func number(n *jsontree.Node) (float64, bool) {
	if n.Kind != jsontree.Number && n.Kind != jsontree.String {
		return 0, false
	}
	text := strings.TrimSpace(n.Text)
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && !math.IsInf(value, 0) && !math.IsNaN(value)
}

// wholeNumber reads an integer written as a JSON number.
func wholeNumber(n *jsontree.Node) (int64, bool) {
	if n == nil || n.Kind != jsontree.Number {
		return 0, false
	}
	value, err := strconv.ParseInt(n.Text, 10, 64)
	return value, err == nil
}
