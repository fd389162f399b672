"""What only a driver knows of its settings, asked without a device and without a heavy library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from controller.settings import devices as keys
from controller.settings.model import Configuration
from controller.vocabulary.errors import ConfigurationError
from drivers.camera.settings import CameraSettings
from drivers.errors import DeviceSettingsError
from drivers.panel.keypad.wire import pressing
from drivers.scanner.decode import ScanSettings


def check_drivers(configuration: Configuration) -> None:
    """Ask every driver that has more to say than its keys. :class:`ConfigurationError` names the key."""
    devices = configuration.devices
    for place, reader in (("shoe", devices.shoe), ("second_reader", devices.second_reader)):
        with naming(place):
            if isinstance(reader, keys.CameraShoe):
                camera_settings(reader, check_digit=False)
            elif isinstance(reader, keys.ScannerShoe):
                scan_settings(reader)
    if isinstance(devices.panel, keys.GpioPanel):
        with naming("panel"):
            for line in devices.panel.lines:
                pressing(line)


def camera_settings(settings: keys.CameraShoe, check_digit: bool) -> CameraSettings:
    """A camera's settings; a rescue needs a strong check digit in the codes, to prove it."""
    return CameraSettings(
        settings.source,
        settings.decoder,
        settings.symbologies,
        settings.width_px,
        settings.height_px,
        settings.frames_per_s,
        settings.agreeing_frames,
        rescue=settings.rescue and check_digit,
        marks_per_card=settings.marks_per_card,
        least_confidence=settings.least_confidence,
    )


def scan_settings(settings: keys.ScannerShoe) -> ScanSettings:
    """What counts as a card's code; the driver's own words where the file names none."""
    usual = ScanSettings()
    return ScanSettings(
        aim=settings.aim,
        symbologies=frozenset(settings.symbologies),
        shape=settings.shape,
        programming=usual.programming if settings.programming is None else settings.programming,
        no_read=usual.no_read if settings.no_read is None else settings.no_read,
    )


@contextmanager
def naming(place: str) -> Iterator[None]:
    """A setting that a driver refuses is a fault of the configuration, at this key."""
    try:
        yield
    except DeviceSettingsError as error:
        raise ConfigurationError(f"devices.{place}.{error.key}: {error.problem}") from error
