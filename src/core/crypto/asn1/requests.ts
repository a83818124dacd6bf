/** Reads and writes certificate requests (PKCS#10, RFC 2986). */
import { toHex } from '../../base/identifiers.ts'
import { texts } from '../../base/texts.ts'
import { BIT_STRING, DerReader, explicitTag, OBJECT_IDENTIFIER, SEQUENCE } from './der-reader.ts'
import { bits, element, encodeDer, explicit, sequence, unsigned } from './der-writer.ts'
import { readExtensions, readName, SET } from './names.ts'

/** 1.2.840.113549.1.9.14, the attribute with the requested extensions (RFC 2985 section 5.4.2). */
const EXTENSION_REQUEST = /* @__PURE__ */ texts.fromHex('06092a864886f70d01090e')
const EXTENSION_REQUEST_ID = /* @__PURE__ */ toHex(EXTENSION_REQUEST.subarray(2))
const EMPTY_NAME = /* @__PURE__ */ Uint8Array.of(SEQUENCE, 0)
const VERSION = /* @__PURE__ */ new Uint8Array(1)

/** The DER-encoded parts of a request that do not depend on its key. */
export interface RequestTemplate {
  readonly subject: Uint8Array
  /** The requested extensions. Undefined if the request has no extensions. */
  readonly extensions: Uint8Array | undefined
  /**
   * Whether the request has other attributes, such as a challenge password. Such attributes are for the original signer and are not copied.
   */
  readonly otherAttributes: boolean
}

export const EMPTY_REQUEST: RequestTemplate = { subject: EMPTY_NAME, extensions: undefined, otherAttributes: false }

/**
 * Reads a request. The key and the signature must be present but are not verified. @throws KernelError 400 if the bytes are not a request
 */
export function readCertificateRequest(der: Uint8Array, what: string): RequestTemplate {
  const outer = new DerReader(der, what)
  const request = outer.next(SEQUENCE)
  outer.end()
  const info = request.next(SEQUENCE)
  request.next(SEQUENCE)
  request.next(BIT_STRING)
  request.end()
  if (info.unsigned().length > 0) throw info.malformed()
  const subject = readName(info)
  info.next(SEQUENCE)
  const attributes = info.optional(explicitTag(0))
  info.end()
  return { subject, ...readAttributes(attributes) }
}

function readAttributes(attributes: DerReader | undefined): Omit<RequestTemplate, 'subject'> {
  let extensions: Uint8Array | undefined
  let otherAttributes = false
  while (attributes && !attributes.atEnd) {
    const attribute = attributes.next(SEQUENCE)
    const id = toHex(attribute.next(OBJECT_IDENTIFIER).bytes)
    const values = attribute.next(SET)
    attribute.end()
    if (id !== EXTENSION_REQUEST_ID) otherAttributes = true
    else if (extensions) throw attribute.malformed()
    else {
      readExtensions(values)
      values.end()
      extensions = values.bytes
    }
  }
  return { extensions, otherAttributes }
}

/** Encodes the part of a request that the key signs. @param spki The DER-encoded public key. @returns Bytes that the caller owns. */
export function requestInfo({ subject, extensions }: RequestTemplate, spki: Uint8Array): Uint8Array {
  const attributes = extensions ? [sequence(EXTENSION_REQUEST, element(SET, extensions))] : []
  return encodeDer(sequence(unsigned(VERSION), subject, spki, explicit(0, ...attributes)))
}

/** @param algorithm The DER-encoded AlgorithmIdentifier of the signature. @returns Bytes that the caller owns. */
export const signedRequest = (info: Uint8Array, algorithm: Uint8Array, signature: Uint8Array): Uint8Array =>
  encodeDer(sequence(info, algorithm, bits(signature)))
