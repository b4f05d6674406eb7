<?php
// Sends an email over SMTP with PHPMailer.
//
//   composer require phpmailer/phpmailer      (Debian: apt install libphp-phpmailer)
//   POSTLOFT_API_KEY=pl_live_… php send-smtp.php shop@sandbox.postloft.test you@example.com

use PHPMailer\PHPMailer\PHPMailer;

if (is_file(__DIR__ . '/vendor/autoload.php')) {
    require __DIR__ . '/vendor/autoload.php';
} else {
    foreach (['Exception', 'SMTP', 'PHPMailer'] as $class) {
        require_once "libphp-phpmailer/src/$class.php";
    }
}

[, $from, $to] = $argv;
$mail = new PHPMailer(true);
$mail->isSMTP();
$mail->Host = getenv('POSTLOFT_SMTP_HOST') ?: 'localhost';
$mail->Port = (int) (getenv('POSTLOFT_SMTP_PORT') ?: 2587);
$mail->SMTPSecure = PHPMailer::ENCRYPTION_STARTTLS;
$mail->SMTPAuth = true;
// The user is an address at a domain of the account; the password is an API key.
$mail->Username = $from;
$mail->Password = getenv('POSTLOFT_API_KEY');
if (getenv('POSTLOFT_SELF_SIGNED') === '1') {
    // The certificate that the service makes for itself is not known to clients.
    $mail->SMTPOptions = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false, 'allow_self_signed' => true]];
}
$mail->setFrom($from);
$mail->addAddress($to);
$mail->addCustomHeader('X-Service-Tag-Kind', 'order');
$mail->Subject = 'Order 4711';
$mail->Body = '<p>Thank you.</p>';
$mail->AltBody = 'Thank you.';
$mail->send();
echo "sent\n";
