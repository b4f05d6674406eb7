import com.resend.Resend;
import com.resend.core.exception.ResendException;
import com.resend.services.apikeys.model.CreateApiKeyOptions;
import com.resend.services.apikeys.model.UpdateApiKeyOptions;
import com.resend.services.domains.model.CreateDomainOptions;
import com.resend.services.domains.model.UpdateDomainOptions;
import com.resend.services.emails.model.Attachment;
import com.resend.services.emails.model.CreateEmailOptions;
import com.resend.services.emails.model.UpdateEmailOptions;
import com.resend.services.suppressions.model.AddSuppressionOptions;
import com.resend.services.suppressions.model.AddSuppressionsOptions;
import com.resend.services.suppressions.model.RemoveSuppressionsOptions;
import com.resend.services.webhooks.dto.WebhookEventDTO;
import com.resend.services.webhooks.model.CreateWebhookOptions;
import com.resend.services.webhooks.model.UpdateWebhookOptions;
import com.resend.services.webhooks.model.WebhookEvent;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Calls of Resend's Java library that the service answers, with the unmodified library. The host is fixed in the library, so
 * the network must lead it to the service. The argument is the URL of a webhook endpoint. Prints the names of the calls that
 * held as a JSON array; ends with an exception at the first that does not.
 */
public class ResendCalls {
  private static final int FILE_BYTES = 200_000;
  private static final List<String> HELD = new ArrayList<>();

  private interface Call<T> {
    T run() throws ResendException;
  }

  private static <T> T call(String name, Call<T> call) throws ResendException {
    T answer = call.run();
    check(name, answer != null);
    HELD.add(name);
    return answer;
  }

  private static void check(String name, boolean ok) {
    if (!ok) throw new IllegalStateException(name + ": the response is not as expected");
  }

  private static void refused(String name, int status, String error, Call<?> call) {
    try {
      call.run();
    } catch (ResendException e) {
      check(name + " " + e, e.getStatusCode() == status && e.getErrorName().equals(error));
      return;
    }
    throw new IllegalStateException(name + " was not refused");
  }

  private static CreateEmailOptions.Builder mail() {
    return CreateEmailOptions.builder()
        .from(System.getenv("RESEND_SENDER"))
        .to("ada@example.net")
        .subject("Your order")
        .text("Thank you.");
  }

  private static void emails(Resend resend) throws ResendException {
    String id = call("emails.send", () -> resend.emails().send(mail().build())).getId();
    check("emails.get", call("emails.get", () -> resend.emails().get(id)).getTo().contains("ada@example.net"));
    check("emails.list", call("emails.list", () -> resend.emails().list()).getData().size() == 1);
    String content = Base64.getEncoder().encodeToString("x".repeat(FILE_BYTES).getBytes());
    Attachment file = Attachment.builder().fileName("big.txt").content(content).build();
    String withFile = resend.emails().send(mail().attachments(file).build()).getId();
    String fileId =
        call("emails.listAttachments", () -> resend.emails().listAttachments(withFile)).getData().get(0).getId();
    int size = call("emails.getAttachment", () -> resend.emails().getAttachment(withFile, fileId)).getSize();
    check("emails.getAttachment", size == FILE_BYTES);
    String later = resend.emails().send(mail().scheduledAt("in 1 hour").build()).getId();
    UpdateEmailOptions update = UpdateEmailOptions.builder().scheduledAt("tomorrow at 9am").build();
    call("emails.update", () -> resend.emails().update(later, update));
    call("emails.cancel", () -> resend.emails().cancel(later));
    call("emails.metrics", () -> resend.emails().metrics());
    List<CreateEmailOptions> two = List.of(mail().build(), mail().build());
    check("batch.send", call("batch.send", () -> resend.batch().send(two)).getData().size() == 2);
  }

  private static void domains(Resend resend) throws ResendException {
    CreateDomainOptions options = CreateDomainOptions.builder().name("java.example.com").build();
    var made = call("domains.create", () -> resend.domains().create(options));
    check("domains.create", made.getRecords().size() > 2);
    String id = made.getId();
    call("domains.get", () -> resend.domains().get(id));
    check("domains.list", call("domains.list", () -> resend.domains().list()).getData().size() == 2);
    UpdateDomainOptions change = UpdateDomainOptions.builder().id(id).openTracking(true).build();
    call("domains.update", () -> resend.domains().update(change));
    call("domains.verify", () -> resend.domains().verify(id));
    call("domains.remove", () -> resend.domains().remove(id));
    refused("an unknown domain", 404, "not_found", () -> resend.domains().get(id));
  }

  private static void keys(Resend resend) throws ResendException {
    CreateApiKeyOptions options = CreateApiKeyOptions.builder().name("Java").permission("sending_access").build();
    var made = call("apiKeys.create", () -> resend.apiKeys().create(options));
    Resend limited = new Resend(made.getToken());
    refused("a restricted key", 401, "restricted_api_key", () -> limited.domains().list());
    UpdateApiKeyOptions change = UpdateApiKeyOptions.builder().name("Renamed").build();
    call("apiKeys.update", () -> resend.apiKeys().update(made.getId(), change));
    check("apiKeys.list", call("apiKeys.list", () -> resend.apiKeys().list()).getData().size() >= 2);
    check("apiKeys.remove", call("apiKeys.remove", () -> resend.apiKeys().remove(made.getId())));
    refused("a removed key", 403, "invalid_api_key", () -> limited.domains().list());
  }

  private static void webhooks(Resend resend, String endpoint) throws ResendException, InterruptedException {
    CreateWebhookOptions options =
        CreateWebhookOptions.builder().endpoint(endpoint).events(WebhookEvent.EMAIL_DELIVERED).build();
    String id = call("webhooks.create", () -> resend.webhooks().create(options)).getId();
    call("webhooks.get", () -> resend.webhooks().get(id));
    check("webhooks.list", call("webhooks.list", () -> resend.webhooks().list()).getData().size() == 1);
    UpdateWebhookOptions change = UpdateWebhookOptions.builder().events(WebhookEvent.EMAIL_DELIVERED).build();
    call("webhooks.update", () -> resend.webhooks().update(id, change));
    resend.emails().send(mail().build());
    List<WebhookEventDTO> events = List.of();
    for (int i = 0; i < 200 && events.isEmpty(); i++) {
      Thread.sleep(50);
      events = resend.webhooks().listEvents(id).getData();
    }
    String event = events.get(0).getId();
    call("webhooks.listEvents", () -> resend.webhooks().listEvents(id));
    call("webhooks.getEvent", () -> resend.webhooks().getEvent(id, event));
    call("webhooks.replayEvent", () -> resend.webhooks().replayEvent(id, event));
    call("webhooks.listEventAttempts", () -> resend.webhooks().listEventAttempts(id, event));
    check("webhooks.remove", call("webhooks.remove", () -> resend.webhooks().remove(id)).getDeleted());
  }

  private static void suppressions(Resend resend) throws ResendException {
    AddSuppressionOptions one = AddSuppressionOptions.builder().email("b+1@example.net").build();
    call("suppressions.add", () -> resend.suppressions().add(one));
    call("suppressions.get", () -> resend.suppressions().get("b+1@example.net"));
    check("list", call("suppressions.list", () -> resend.suppressions().list()).getData().size() == 1);
    call("suppressions.remove", () -> resend.suppressions().remove("b+1@example.net"));
    List<String> both = List.of("c@example.net", "d@example.net");
    AddSuppressionsOptions add = AddSuppressionsOptions.builder().emails(both).build();
    call("suppressions.batch.add", () -> resend.suppressions().batch().add(add));
    RemoveSuppressionsOptions remove = RemoveSuppressionsOptions.builder().emails(both).build();
    call("suppressions.batch.remove", () -> resend.suppressions().batch().remove(remove));
  }

  private static void account(Resend resend) throws ResendException {
    String log = call("logs.list", () -> resend.logs().list()).getData().get(0).getId();
    call("logs.get", () -> resend.logs().get(log));
  }

  private static void errors(Resend resend) {
    CreateEmailOptions elsewhere = mail().from("a@elsewhere.example.org").build();
    refused("an unknown domain", 403, "validation_error", () -> resend.emails().send(elsewhere));
    CreateEmailOptions empty = mail().text(null).build();
    refused("no content", 422, "missing_required_field", () -> resend.emails().send(empty));
    refused("a feature that does not exist", 404, "not_found", () -> resend.segments().list());
  }

  public static void main(String[] arguments) throws Exception {
    Resend resend = new Resend(System.getenv("RESEND_API_KEY"));
    emails(resend);
    domains(resend);
    keys(resend);
    webhooks(resend, arguments[0]);
    suppressions(resend);
    account(resend);
    errors(resend);
    System.out.println(HELD.stream().collect(Collectors.joining("\",\"", "[\"", "\"]")));
    System.exit(0);
  }
}
