/**
 * Reads X.509 certificates (RFC 5280 section 4.1): the subject, the subject's public key, and whether the subject may sign certificates.
 * Does not verify signatures, names or dates.
 */

import { BIT_STRING, DerReader, explicitTag, INTEGER, OCTET_STRING, SEQUENCE } from './der-reader.ts'
import { readSpki } from './envelopes.ts'
import { readBoolean, readExtensions, readName } from './names.ts'

/** 2.5.29.19 (basic constraints) in hex. */
const BASIC_CONSTRAINTS = '551d13'
/** 2.5.29.14 (subject key identifier) in hex. */
const SUBJECT_KEY_ID = '551d0e'
/** 2.5.29.17 (subject alternative name) in hex. */
const SUBJECT_ALT_NAME = '551d11'
/** The tags `[1]` and `[2]` of the issuer's and the subject's unique identifier, which are obsolete. */
const UNIQUE_IDS = [0x81, 0x82]
const TIMES: readonly (number | undefined)[] = [0x17, 0x18]

export interface Certificate {
  /** The DER-encoded name of the subject. */
  readonly subject: Uint8Array
  /** The DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array
  /** The `cA` flag of the basic constraints. Undefined if the certificate lacks that extension. */
  readonly ca: boolean | undefined
  /** The subject key identifier. Undefined if the certificate lacks that extension. */
  readonly subjectKeyId: Uint8Array | undefined
  /** The value of the extension for subject alternative names. Undefined if the certificate lacks that extension. */
  readonly altNames: Uint8Array | undefined
}

/** @throws KernelError 400 if the bytes are not exactly one certificate */
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
  const subject = readName(body)
  const spki = body.rest()
  readSpki(spki, what)
  for (const tag of UNIQUE_IDS) body.optional(tag)
  const tagged = body.optional(explicitTag(3))
  body.end()
  const extensions = tagged && readExtensions(tagged)
  tagged?.end()
  return {
    subject,
    spki,
    ca: readBasicConstraints(extensions?.get(BASIC_CONSTRAINTS)),
    subjectKeyId: readKeyId(extensions?.get(SUBJECT_KEY_ID)),
    altNames: extensions?.get(SUBJECT_ALT_NAME)?.bytes,
  }
}

function readValidity(validity: DerReader): void {
  for (let time = 0; time < 2; time++) {
    if (!TIMES.includes(validity.nextTag)) throw validity.malformed()
    validity.rest()
  }
  validity.end()
}

function readBasicConstraints(contents: DerReader | undefined): boolean | undefined {
  const constraints = contents?.next(SEQUENCE)
  contents?.end()
  if (!constraints) return undefined
  const ca = readBoolean(constraints)
  constraints.optional(INTEGER)
  constraints.end()
  return ca
}

function readKeyId(contents: DerReader | undefined): Uint8Array | undefined {
  const id = contents?.next(OCTET_STRING).bytes
  contents?.end()
  return id
}
