module peyk.internal/peyk

go 1.18
