"""Bar code and QR scanners on a serial or USB-CDC port, of any maker."""
