import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { transferMicroseconds } from '../key-types/index.ts'
import { EXPORT_FORMATS, type ExportFormat, unsupportedFormat } from '../key-types/key-codec.ts'
import { eachVersion, KEY_TYPE, showChain } from '../key-view.ts'
import { checkUse, RING, type Ring, type RingVersion } from '../ring.ts'
import { RingKeys } from '../ring-keys.ts'
import { exportedVersions } from '../versions.ts'

interface ExportedVersion {
  readonly keys: RingKeys
  readonly version: number
  readonly stored: RingVersion
  readonly format: ExportFormat
}

/** A kind of exported text, such as an encryption key or a public key. The path of the request names the kind. */
interface ExportKind {
  /** Whether the exported keys are secret, so that the key must be exportable. */
  readonly secret: boolean
  /** @throws KernelError 400 if keys of this type cannot be exported as this kind */
  readonly check: (keys: RingKeys) => void
  readonly show: (exported: ExportedVersion) => string
}

const EXPORT_KINDS = {
  'encryption-key': {
    secret: true,
    check: ({ type, ring }) => {
      if (!type.encryptor) throw invalid(`key_type: keys of type ${ring.type} do not encrypt`)
    },
    show: privateKey,
  },
  'signing-key': { secret: true, check: checkSigns, show: privateKey },
  'hmac-key': {
    secret: true,
    check: ({ type, ring }) => {
      if (type.isManaged) throw invalid(`key_type: keys of type ${ring.type} do not compute HMACs`)
    },
    show: ({ keys, version, format }) => {
      if (format !== '' && format !== 'raw') throw unsupportedFormat(format)
      return keys.version(version).lendAll(encodeBase64)
    },
  },
  'public-key': {
    secret: false,
    check: ({ type, ring }) => {
      if (!type.codec.publicKey) throw invalid(`key_type: keys of type ${ring.type} have no public key`)
      if (ring.derived)
        throw invalid('key_type: derived keys have one public key per context; read the key with a context instead')
    },
    show: ({ keys, stored, format }) => keys.type.codec.publicKey?.toText(stored.public_key, format) ?? '',
  },
  'certificate-chain': {
    secret: false,
    check: checkSigns,
    show: ({ version, stored, format }) => {
      if (format !== '' && format !== 'pem') throw invalid('format: certificates can only be exported as pem')
      if (stored.certificate_chain.length === 0) throw invalid(`version: version ${version} of the key has no certificate chain`)
      return showChain(stored.certificate_chain)
    },
  },
} satisfies Readonly<Record<string, ExportKind>>

const isExportKind = (name: string): name is keyof typeof EXPORT_KINDS => Object.hasOwn(EXPORT_KINDS, name)

/**
 * @throws KernelError 400 if the key is soft-deleted, if `key_type` is `encryption-key`, `signing-key` or `hmac-key` and the key is not
 *   exportable, if the key has nothing of the kind `key_type`, if the key cannot be exported in the `format`, or if `version` does not
 *   exist or is below `min_decryption_version`.
 * @throws KernelError 404 if the key does not exist.
 */
export const exportKey = operation({
  kind: 'read',
  verb: 'GET',
  path: '/export/:key_type/:name(/:version)',
  summary: 'Exports keys in plaintext. Secret keys can be exported only if they are exportable.',
  fields: {
    key_type: f.word<keyof typeof EXPORT_KINDS>(`The kind of export: ${Object.keys(EXPORT_KINDS).join(', ')}.`),
    name: f.name('The name of the key.'),
    version: f
      .wordOrInt<'latest'>('A version, or latest. The default is all versions that may be used.')
      .ignoring('number form')
      .optional(),
    format: f
      .word<Exclude<ExportFormat, ''>>('raw, der (base64 of PKCS#8 or SPKI) or pem. The default depends on the key type.')
      .default(''),
  },
  returns: {
    name: f.text('The name of the key.'),
    type: KEY_TYPE,
    keys: f.json<Readonly<Record<string, string>>>(
      'The keys by version; an empty string for a version that has only a public key.',
    ),
  },
  run: (tx, { key_type, name, version: requested, format }) => {
    const kind: ExportKind | undefined = isExportKind(key_type) ? EXPORT_KINDS[key_type] : undefined
    if (!kind) throw invalid(`key_type: must be one of ${Object.keys(EXPORT_KINDS).join(', ')}`)
    if (!isFormat(format)) throw invalid(`format: must be one of ${EXPORT_FORMATS.slice(1).join(', ')}, or omitted`)
    const ring = tx.get(RING, name)
    if (!ring) return undefined
    if (kind.secret) checkExportable(ring)
    checkUse(ring)
    const keys = new RingKeys(tx, ring)
    kind.check(keys)
    const versions = exportedVersions(ring, requested)
    if (kind.secret) keys.load(versions)
    const show = (version: number) => kind.show({ keys, version, stored: ring.versions[version] as RingVersion, format })
    const shown = tx.steps('shown', () => eachVersion(versions, show, transferMicroseconds(tx.env, ring.type)), 'attempt')
    return { name, type: ring.type, keys: Object.fromEntries(shown) }
  },
})

const isFormat = (format: string): format is ExportFormat => (EXPORT_FORMATS as readonly string[]).includes(format)

/** @throws KernelError 400 if the key is not exportable */
export function checkExportable(ring: Ring): void {
  if (!ring.exportable) throw invalid('name: this key is not exportable')
}

function checkSigns({ type, ring }: RingKeys): void {
  if (!type.signer) throw invalid(`key_type: keys of type ${ring.type} do not sign`)
}

function privateKey({ keys, version, format }: ExportedVersion): string {
  const key = keys.version(version)
  if (key.publicOnly) return ''
  return key.lend((bytes) => keys.type.codec.toText(keys.env.crypto, bytes, format))
}
