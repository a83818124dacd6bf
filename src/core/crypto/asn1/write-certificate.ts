/** Writes X.509 client certificates whose subject is only a common name (RFC 5280 section 4.1). */

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
/** Version 3 is encoded as 2. */
const VERSION = /* @__PURE__ */ Uint8Array.of(2)

const oid = (hex: string): Uint8Array => texts.fromHex(hex)
/** 2.5.4.3 */
const COMMON_NAME = /* @__PURE__ */ oid('0603550403')
/** 2.5.29.15, 2.5.29.37, 2.5.29.14 and 2.5.29.35 (RFC 5280 section 4.2.1). */
const KEY_USAGE = /* @__PURE__ */ oid('0603551d0f')
const EXTENDED_KEY_USAGE = /* @__PURE__ */ oid('0603551d25')
const SUBJECT_KEY_ID = /* @__PURE__ */ oid('0603551d0e')
const AUTHORITY_KEY_ID = /* @__PURE__ */ oid('0603551d23')
/** 1.3.6.1.5.5.7.3.2 */
const CLIENT_AUTH = /* @__PURE__ */ oid('06082b06010505070302')
/** Only bit 0 is set; seven bits are unused. */
const DIGITAL_SIGNATURE = /* @__PURE__ */ Uint8Array.of(BIT_STRING, 2, 7, 0x80)

export interface ClientCertificate {
  /** The magnitude: 1 to 20 bytes. With 20 bytes the first bit must be clear. */
  readonly serial: Uint8Array
  /** AlgorithmIdentifier of the signature as an encoded element. */
  readonly algorithm: Uint8Array
  /** The name of the authority as an encoded element. */
  readonly issuer: Uint8Array
  /** The key identifier of the authority; undefined omits the extension. */
  readonly issuerKeyId: Uint8Array | undefined
  /** Both times are milliseconds since the Unix epoch, at most the year 9999. Fractions of a second are dropped. */
  readonly notBefore: number
  readonly notAfter: number
  readonly commonName: string
  /** SubjectPublicKeyInfo as an encoded element. */
  readonly spki: Uint8Array
  readonly subjectKeyId: Uint8Array
}

/** The part of a certificate that is signed; the caller owns it. */
export function certificateInfo(certificate: ClientCertificate): Uint8Array {
  const { serial, algorithm, issuer, issuerKeyId, notBefore, notAfter, commonName, spki, subjectKeyId } = certificate
  const extensions = [
    sequence(KEY_USAGE, BOOLEAN_TRUE, octets(DIGITAL_SIGNATURE)),
    sequence(EXTENDED_KEY_USAGE, octets(sequence(CLIENT_AUTH))),
    sequence(SUBJECT_KEY_ID, octets(octets(subjectKeyId))),
    // `[0] IMPLICIT`: only the key identifier.
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

/** @param algorithm The same as in `info`. @returns Bytes that the caller owns. */
export const signedCertificate = (info: Uint8Array, algorithm: Uint8Array, signature: Uint8Array): Uint8Array =>
  encodeDer(sequence(info, algorithm, bits(signature)))

/** UTCTime with a two-digit year from 1950 to 2049, otherwise GeneralizedTime (RFC 5280 section 4.1.2.5). */
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
