package main

import "github.com/temoto/robotstxt"

func init() {
	Robots = append(Robots, Subject[ParseRobots]{Peer, temoto, func(body []byte, agent string) (Allowed, error) {
		data, err := robotstxt.FromBytes(body)
		if err != nil {
			return nil, err
		}
		group := data.FindGroup(agent)
		return func(a *Address) bool { return group.Test(a.Path) }, nil
	}})
}

const temoto = "temoto/robotstxt"
