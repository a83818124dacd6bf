/**
 * X.509 certificates (RFC 5280 section 4.1): whose key it is, and whether it may sign others. Nothing is verified: neither signatures
 * nor names nor dates.
 */
import { readSpki } from './envelopes.ts'
import { readBoolean, readExtensions, readName } from './names.ts'
import { BIT_STRING, DerReader, explicitTag, INTEGER, SEQUENCE } from './read.ts'

/** 2.5.29.19, in hex */
const BASIC_CONSTRAINTS = '551d13'
/** `[1]` and `[2]`: unique identifiers of issuer and subject, which nobody uses. */
const UNIQUE_IDS = [0x81, 0x82]
const TIMES: readonly (number | undefined)[] = [0x17, 0x18]

export interface Certificate {
  /** SubjectPublicKeyInfo, the element as it stands. */
  readonly spki: Uint8Array
  /** What its basic constraints say; undefined where it has none. */
  readonly ca: boolean | undefined
}

/** @throws KernelError 400 for anything but one certificate */
export function readCertificate(der: Uint8Array, what: string): Certificate {
  const outer = new DerReader(der, what)
  const certificate = outer.next(SEQUENCE)
  outer.end()
  const body = certificate.next(SEQUENCE)
  certificate.next(SEQUENCE)
  certificate.next(BIT_STRING)
  certificate.end()
  return readBody(body, what)
}

function readBody(body: DerReader, what: string): Certificate {
  body.optional(explicitTag(0))
  body.next(INTEGER)
  body.next(SEQUENCE)
  readName(body)
  readValidity(body.next(SEQUENCE))
  readName(body)
  const spki = body.rest()
  readSpki(spki, what)
  for (const tag of UNIQUE_IDS) body.optional(tag)
  const extensions = body.optional(explicitTag(3))
  body.end()
  return { spki, ca: extensions && readBasicConstraints(extensions) }
}

function readValidity(validity: DerReader): void {
  for (let time = 0; time < 2; time++) {
    if (!TIMES.includes(validity.nextTag)) throw validity.malformed()
    validity.rest()
  }
  validity.end()
}

function readBasicConstraints(extensions: DerReader): boolean | undefined {
  const contents = readExtensions(extensions).get(BASIC_CONSTRAINTS)
  extensions.end()
  const constraints = contents?.next(SEQUENCE)
  contents?.end()
  if (!constraints) return undefined
  const ca = readBoolean(constraints)
  constraints.optional(INTEGER)
  constraints.end()
  return ca
}
