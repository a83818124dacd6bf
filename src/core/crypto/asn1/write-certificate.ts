/** Writes X.509 client certificates. The subject contains only a common name (RFC 5280 section 4.1). */

import { toUtf8 } from '../../base/bytes.ts'
import { calendarDay, DAY_MS } from '../../base/calendar.ts'
import { texts } from '../../base/texts.ts'
import { BIT_STRING } from './der-reader.ts'
import { bits, type DerElement, element, encodeDer, explicit, octets, sequence, unsigned } from './der-writer.ts'
import { SET } from './names.ts'

const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const BOOLEAN_TRUE = /* @__PURE__ */ Uint8Array.of(0x01, 1, 0xff)
/** The value 2 means version 3. */
const VERSION = /* @__PURE__ */ Uint8Array.of(2)

const oid = (hex: string): Uint8Array => texts.fromHex(hex)
/** 2.5.4.3 (common name). */
const COMMON_NAME = /* @__PURE__ */ oid('0603550403')
/**
 * 2.5.29.15 (key usage), 2.5.29.37 (extended key usage), 2.5.29.14 (subject key identifier) and 2.5.29.35 (authority key identifier); see
 * RFC 5280 section 4.2.1.
 */
const KEY_USAGE = /* @__PURE__ */ oid('0603551d0f')
const EXTENDED_KEY_USAGE = /* @__PURE__ */ oid('0603551d25')
const SUBJECT_KEY_ID = /* @__PURE__ */ oid('0603551d0e')
const AUTHORITY_KEY_ID = /* @__PURE__ */ oid('0603551d23')
/** 1.3.6.1.5.5.7.3.2 (client authentication). */
const CLIENT_AUTH = /* @__PURE__ */ oid('06082b06010505070302')
/** A bit string in which only bit 0 (digital signature) is set; the other seven bits are unused. */
const DIGITAL_SIGNATURE = /* @__PURE__ */ Uint8Array.of(BIT_STRING, 2, 7, 0x80)

export interface ClientCertificate {
  /** The magnitude of the serial number: 1 to 20 bytes. If it has 20 bytes, the first bit must be clear. */
  readonly serial: Uint8Array
  /** The DER-encoded AlgorithmIdentifier of the signature. */
  readonly algorithm: Uint8Array
  /** The DER-encoded name of the issuer. */
  readonly issuer: Uint8Array
  /** The key identifier of the issuer. If undefined, the certificate has no authority key identifier extension. */
  readonly issuerKeyId: Uint8Array | undefined
  /**
   * The period in which the certificate is valid: milliseconds since the Unix epoch, at most until the year 9999. Fractions of a second are
   * dropped.
   */
  readonly notBefore: number
  readonly notAfter: number
  readonly commonName: string
  /** The DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array
  readonly subjectKeyId: Uint8Array
}

/** Encodes the part of a certificate that the issuer signs. The caller owns the bytes. */
export function certificateInfo(certificate: ClientCertificate): Uint8Array {
  const { serial, algorithm, issuer, issuerKeyId, notBefore, notAfter, commonName, spki, subjectKeyId } = certificate
  const extensions = [
    sequence(KEY_USAGE, BOOLEAN_TRUE, octets(DIGITAL_SIGNATURE)),
    sequence(EXTENDED_KEY_USAGE, octets(sequence(CLIENT_AUTH))),
    sequence(SUBJECT_KEY_ID, octets(octets(subjectKeyId))),
    // 0x80 is the tag `[0] IMPLICIT` of the key identifier. The extension contains no other member.
    ...(issuerKeyId ? [sequence(AUTHORITY_KEY_ID, octets(sequence(element(0x80, issuerKeyId))))] : []),
  ]
  return encodeDer(
    sequence(
      explicit(0, unsigned(VERSION)),
      unsigned(serial),
      algorithm,
      issuer,
      sequence(time(notBefore), time(notAfter)),
      sequence(element(SET, sequence(COMMON_NAME, element(UTF8_STRING, toUtf8(commonName))))),
      spki,
      explicit(3, sequence(...extensions)),
    ),
  )
}

/**
 * @param info The result of {@link certificateInfo}. @param algorithm The same AlgorithmIdentifier as in `info`. @returns Bytes that the
 * caller owns.
 */
export const signedCertificate = (info: Uint8Array, algorithm: Uint8Array, signature: Uint8Array): Uint8Array =>
  encodeDer(sequence(info, algorithm, bits(signature)))

/** Encodes a time: from 1950 to 2049 as UTCTime with a two-digit year, otherwise as GeneralizedTime (RFC 5280 section 4.1.2.5). */
function time(ms: number): DerElement {
  const number = Math.floor(ms / DAY_MS)
  const { year, month, day } = calendarDay(number)
  const second = Math.floor((ms - number * DAY_MS) / 1000)
  const rest = [month, day, Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60]
  const digits = `${rest.map((part) => String(part).padStart(2, '0')).join('')}Z`
  const short = year >= 1950 && year < 2050
  return element(
    short ? UTC_TIME : GENERALIZED_TIME,
    toUtf8(
      String(year)
        .padStart(4, '0')
        .slice(short ? 2 : 0) + digits,
    ),
  )
}
