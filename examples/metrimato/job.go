package main

import (
	"net/netip"
	"time"
)

// A job is one run over one site, as the operator asks for it.
type job struct {
	start    string           // where the site begins
	hosts    []string         // all domains of the site, the start's included; nil: the start's only
	code     string           // proves that a domain is the customer's; "": the operator's word is taken
	maxPages int              // lowers pageCeiling; 0: does not
	local    []netip.AddrPort // exact addresses that the guard lets through
	state    string           // folder of what is remembered between runs; "": nothing is
	byHand   bool             // the run is one on top of the weekly ones
}

// requested is when a run was started by hand; zero for the weekly run.
func (j *job) requested() time.Time {
	if j.byHand {
		return time.Now()
	}
	return time.Time{}
}
