// Calls of Resend's Go library that the service answers, with the unmodified library. RESEND_BASE_URL is read by the
// library itself. The first argument is the URL of a webhook endpoint. Prints the names of the calls that held as a JSON
// array; ends with 1 at the first that does not. With the argument "--send" it only sends one email.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/resend/resend-go/v3"
)

const fileBytes = 200_000

var held []string

func fail(name string, problem any) {
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, problem)
	os.Exit(1)
}

// call notes that a call held and returns its value.
func call[T any](name string, value T, err error) T {
	if err != nil {
		fail(name, err)
	}
	held = append(held, name)
	return value
}

func must(name string, ok bool) {
	if !ok {
		fail(name, "the response is not as expected")
	}
}

// refused expects an error whose text has this part; the library drops status and name of most errors.
func refused(name string, err error, part string) {
	if err == nil || !strings.HasPrefix(err.Error(), "[ERROR]: ") || !strings.Contains(err.Error(), part) {
		fail(name, fmt.Sprintf("%v does not contain %q", err, part))
	}
}

func mail() *resend.SendEmailRequest {
	return &resend.SendEmailRequest{
		From: os.Getenv("RESEND_SENDER"), To: []string{"ada@example.net"}, Subject: "Your order", Text: "Thank you.",
		Tags: []resend.Tag{{Name: "order", Value: "7"}},
	}
}

func emails(client *resend.Client) {
	sent, err := client.Emails.Send(mail())
	id := call("Emails.Send", sent, err).Id
	options := &resend.SendEmailOptions{IdempotencyKey: "order-7"}
	first, err := client.Emails.SendWithOptions(context.Background(), mail(), options)
	again, errAgain := client.Emails.SendWithOptions(context.Background(), mail(), options)
	must("idempotency key", call("Emails.SendWithOptions", first, errors.Join(err, errAgain)).Id == again.Id)
	shown, err := client.Emails.Get(id)
	must("Emails.Get", call("Emails.Get", shown, err).To[0] == "ada@example.net")
	list, err := client.Emails.List()
	must("Emails.List", len(call("Emails.List", list, err).Data) == 2)
	withFile := mail()
	withFile.Attachments = []*resend.Attachment{{Content: []byte(strings.Repeat("x", fileBytes)), Filename: "big.txt"}}
	sent, err = client.Emails.Send(withFile)
	if err != nil {
		fail("a file as numbers", err)
	}
	files, err := client.Emails.ListAttachments(sent.Id)
	listed := call("Emails.ListAttachments", files, err).Data
	file, err := client.Emails.GetAttachment(sent.Id, listed[0].Id)
	must("Emails.GetAttachment", call("Emails.GetAttachment", file, err).Filename == "big.txt")
	waits := mail()
	waits.ScheduledAt = "in 1 hour"
	later, err := client.Emails.Send(waits)
	if err != nil {
		fail("schedule", err)
	}
	updated, err := client.Emails.Update(&resend.UpdateEmailRequest{Id: later.Id, ScheduledAt: "tomorrow at 9am"})
	call("Emails.Update", updated, err)
	canceled, err := client.Emails.Cancel(later.Id)
	call("Emails.Cancel", canceled, err)
	batch, err := client.Batch.Send([]*resend.SendEmailRequest{mail(), mail()})
	must("Batch.Send", len(call("Batch.Send", batch, err).Data) == 2)
	bad := mail()
	bad.To = []string{"nobody"}
	permissive := &resend.BatchSendEmailOptions{BatchValidation: resend.BatchValidationPermissive}
	batch, err = client.Batch.SendWithOptions(context.Background(), []*resend.SendEmailRequest{mail(), bad}, permissive)
	part := call("Batch.SendWithOptions", batch, err)
	must("Batch.SendWithOptions", len(part.Data) == 1 && len(part.Errors) == 1)
}

func domains(client *resend.Client) {
	made, err := client.Domains.Create(&resend.CreateDomainRequest{Name: "go.example.com"})
	id := call("Domains.Create", made, err).Id
	must("Domains.Create", len(made.Records) > 2)
	shown, err := client.Domains.Get(id)
	must("Domains.Get", call("Domains.Get", shown, err).Status == "pending")
	list, err := client.Domains.List()
	must("Domains.List", len(call("Domains.List", list, err).Data) == 2)
	updated, err := client.Domains.Update(id, &resend.UpdateDomainRequest{OpenTracking: true})
	call("Domains.Update", updated, err)
	ok, err := client.Domains.Verify(id)
	must("Domains.Verify", call("Domains.Verify", ok, err))
	ok, err = client.Domains.Remove(id)
	must("Domains.Remove", call("Domains.Remove", ok, err))
}

func keys(client *resend.Client) {
	made, err := client.ApiKeys.Create(&resend.CreateApiKeyRequest{Name: "Go", Permission: "sending_access"})
	created := call("ApiKeys.Create", made, err)
	_, err = resend.NewClient(created.Token).Domains.List()
	refused("a restricted key", err, "")
	list, err := client.ApiKeys.List()
	must("ApiKeys.List", len(call("ApiKeys.List", list, err).Data) >= 2)
	ok, err := client.ApiKeys.Remove(created.Id)
	must("ApiKeys.Remove", call("ApiKeys.Remove", ok, err))
	_, err = resend.NewClient(created.Token).Domains.List()
	refused("a removed key", err, "revoked")
}

func webhooks(client *resend.Client, endpoint string) {
	made, err := client.Webhooks.Create(&resend.CreateWebhookRequest{Endpoint: endpoint, Events: []string{"email.delivered"}})
	id := call("Webhooks.Create", made, err).Id
	shown, err := client.Webhooks.Get(id)
	must("Webhooks.Get", call("Webhooks.Get", shown, err).Endpoint == endpoint)
	list, err := client.Webhooks.List()
	must("Webhooks.List", len(call("Webhooks.List", list, err).Data) == 1)
	status := "disabled"
	updated, err := client.Webhooks.Update(id, &resend.UpdateWebhookRequest{Status: &status})
	call("Webhooks.Update", updated, err)
	removed, err := client.Webhooks.Remove(id)
	must("Webhooks.Remove", call("Webhooks.Remove", removed, err).Deleted)
}

func refusals(client *resend.Client) {
	request := mail()
	request.From = "a@elsewhere.example.org"
	_, err := client.Emails.Send(request)
	refused("an unknown domain", err, "elsewhere.example.org")
	_, err = client.Emails.Send(&resend.SendEmailRequest{From: mail().From, To: mail().To, Subject: "x"})
	refused("no content", err, "html is required")
	_, err = client.Segments.List()
	refused("a feature that does not exist", err, "nothing at this address")
}

func main() {
	client := resend.NewClient(os.Getenv("RESEND_API_KEY"))
	if os.Args[1] == "--send" {
		if _, err := client.Emails.Send(mail()); err != nil {
			fail("Emails.Send", err)
		}
		return
	}
	emails(client)
	domains(client)
	keys(client)
	webhooks(client, os.Args[1])
	refusals(client)
	if err := json.NewEncoder(os.Stdout).Encode(held); err != nil {
		fail("output", err)
	}
}
