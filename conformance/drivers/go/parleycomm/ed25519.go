package parleycomm

import (
	"crypto/ed25519"
	"encoding/hex"
	"math/big"
	"slices"
)

var (
	prime      = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	smallOrder = smallOrderPoints()
)

// smallOrderPoints returns the y coordinates of the eight points of small
// order: 0, 1, -1, and those of order 8.
func smallOrderPoints() []*big.Int {
	points := []*big.Int{big.NewInt(0), big.NewInt(1), new(big.Int).Sub(prime, big.NewInt(1))}
	for _, text := range []string{
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	} {
		data, err := hex.DecodeString(text)
		if err != nil {
			panic(err)
		}
		points = append(points, coordinate(data))
	}
	return points
}

// coordinate returns the y coordinate of an encoded point.
func coordinate(point []byte) *big.Int {
	reversed := slices.Clone(point)
	slices.Reverse(reversed)
	reversed[0] &= 0x7f
	return new(big.Int).SetBytes(reversed)
}

// PublicKeyOf returns the 32-byte public key for a seed.
func PublicKeyOf(seed []byte) []byte {
	return ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
}

// Sign creates a 64-byte signature.
func Sign(seed, data []byte) []byte {
	return ed25519.Sign(ed25519.NewKeyFromSeed(seed), data)
}

// Verify verifies a signature. It rejects points of small order and encodings
// that are not canonical.
func Verify(publicKey, data, signature []byte) bool {
	if len(publicKey) != ed25519.PublicKeySize || len(signature) != ed25519.SignatureSize {
		return false
	}
	for _, point := range [][]byte{publicKey, signature[:32]} {
		y := coordinate(point)
		isSmall := slices.ContainsFunc(smallOrder, func(each *big.Int) bool { return each.Cmp(y) == 0 })
		if y.Cmp(prime) >= 0 || isSmall {
			return false
		}
	}
	return ed25519.Verify(publicKey, data, signature)
}
