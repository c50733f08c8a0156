package page

// Majority returns what most of the lanes have.
func Majority(all [][4]uint64) [32]byte {
	var s simhash
	for _, x := range all {
		s.add(x)
	}
	return s.majority()
}
