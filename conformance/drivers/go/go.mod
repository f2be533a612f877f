module parley.example/driver

go 1.23
