// Sends an e-mail with the client that oapi-codegen generates from openapi.json (client.gen.go), reads it again, and prints
// its id and subject.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	key := WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTLOFT_KEY"))
		return nil
	})
	client, err := NewClientWithResponses(os.Getenv("POSTLOFT_URL"), key)
	must(err)
	text := "Thank you."
	body := EmailsSendJSONRequestBody{From: os.Getenv("POSTLOFT_SENDER"), Subject: "Your order", Text: &text}
	must(body.To.FromSendEmailDtoTo1([]string{"ada@example.net"}))
	sent, err := client.EmailsSendWithResponse(context.Background(), &EmailsSendParams{}, body)
	must(err)
	if sent.JSON201 == nil {
		panic(string(sent.Body))
	}
	found, err := client.EmailsFindWithResponse(context.Background(), sent.JSON201.Id)
	must(err)
	if found.JSON200 == nil {
		panic(string(found.Body))
	}
	must(json.NewEncoder(os.Stdout).Encode(map[string]string{"id": found.JSON200.Id, "subject": found.JSON200.Subject}))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
