module parley.example/messages

go 1.26

require (
	github.com/gowebpki/jcs v1.0.2
	github.com/multiformats/go-multibase v0.3.0
	github.com/multiformats/go-varint v0.1.0
)

require (
	github.com/mr-tron/base58 v1.3.0 // indirect
	github.com/multiformats/go-base32 v0.1.0 // indirect
	github.com/multiformats/go-base36 v0.2.0 // indirect
)
