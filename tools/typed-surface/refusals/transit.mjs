// When the methods of the encryption engine refuse, by status, beside what every method does. Read off the operations.

const NO_KEY = 'when there is no such key'
const IN_USE = 'when there is no such key, when it is soft-deleted'
const OUTSIDE = 'when the key is kept elsewhere and the system that keeps it refused, failed or could not be reached'
const VERSION = 'when `key_version` is not there, is above the latest version or below `min_encryption_version`'
const CONTEXT = 'when a derived key is given no context'
const LIMIT = 'and when the version has made its 2^32 encryptions with random nonces'

export const TRANSIT = {
  createKey: {
    400: 'when what is asked for does not belong together or is not for the type: a derivation, convergent encryption without `derived`, `key_size`, a rotation period under an hour; when the type is kept out by the option `fips`, or needs `ports.managedKeys` or the name or id of a managed key.',
    502: `${OUTSIDE}.`,
  },
  readKey: { 404: `${NO_KEY}.`, 400: 'when the context is longer than 131,072 bytes.' },
  listKeys: {},
  deleteKey: { 400: `${NO_KEY}, and as long as its \`deletion_allowed\` is false.` },
  configureKey: {
    400: `${NO_KEY}; when a minimum is negative, above the latest version, below what was trimmed, or \`min_encryption_version\` is not 0 and below \`min_decryption_version\`; for a rotation period under an hour, or any for a managed key.`,
  },
  rotateKey: {
    400: `${IN_USE}, when it was imported without \`allow_rotation\`, and when a managed key is given neither name nor id.`,
    502: `${OUTSIDE}.`,
  },
  softDeleteKey: {},
  undeleteKey: {},
  retireVersions: {
    400: `${NO_KEY}; when the census did not come to its end, began more than a day ago or in the future, has items whose version could not be told, or names a version that is not there; when the version to begin with is not there.`,
  },
  trimKey: {
    400: `${NO_KEY}; when \`min_available_version\` is below what it is now, or above \`min_encryption_version\` (which must be set) or \`min_decryption_version\`.`,
  },
  readWrappingKey: {},
  importKey: {
    400: 'when there is a key of that name already, when both or neither of `ciphertext` and `public_key` are given, when the ciphertext cannot be unwrapped or is no key of that type, when a derived key is given no context or no private half, and when a rotation period is given without `allow_rotation`.',
  },
  importKeyVersion: {
    400: `${IN_USE}; when it was not imported or has been rotated since; when the ciphertext cannot be unwrapped, is no key of its type, or is not the private half of \`version\`; when \`version\` is not there or has its private half.`,
  },
  exportKey: {
    400: 'when the key is not exportable (private kinds), is soft-deleted or has nothing of that kind, when the form is not one of its type, and when the version is not there.',
    404: `${NO_KEY}.`,
  },
  exportWrappedKey: {
    400: 'when the source is not exportable or is soft-deleted, when the destination is no RSA key, and when the version is not there.',
    404: 'when one of the keys is not there.',
  },
  backupKey: {
    400: 'when the key is not exportable, does not allow plaintext backups or is soft-deleted, and when the original named by `form` has no such key type.',
    404: `${NO_KEY}.`,
  },
  restoreKey: {
    400: 'when what is given is no backup, or one that is damaged or contradicts itself, when there is a key of that name already and `force` is not given, and when its type is kept out by the option `fips`.',
  },
  signCsr: {
    400: `${IN_USE}, when its type has no certificates or it is derived, when the version is not there, and when the template is no certificate request.`,
  },
  setCertificate: {
    400: `${IN_USE}, when its type has no certificates or it is derived, and when the chain cannot be read, is out of order, or begins with a certificate for another public key.`,
  },
  deriveKey: {
    400: 'when the base key is not there, is soft-deleted or is no ECDSA key, when the public key is no PEM or is on another curve, when the type is no symmetric one, and when there is a key of that name that was neither derived nor imported, or is of another type.',
  },
  configureKeys: {},
  readKeysConfig: {},
  configureCache: { 400: 'when `size` is neither 0 nor at least 10.' },
  readCacheConfig: {},
  encrypt: {
    400: `when the key is soft-deleted or does not encrypt; ${VERSION}; ${CONTEXT}; when \`associated_data\`, \`nonce\` or \`padding_scheme\` is not for the key; when a missing key may not be made (\`disable_upsert\`) or not be of that type; ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  decrypt: {
    400: `${IN_USE} or does not decrypt; ${CONTEXT}; when the ciphertext is malformed, or its version is below \`min_decryption_version\` or not there; with the code \`ERR_DECRYPTION_FAILED\` when it does not authenticate: another key, context or associated data, or a changed bit.`,
    502: `${OUTSIDE}.`,
  },
  rewrap: {
    400: `as \`decrypt\`, and ${VERSION}, ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  inspect: { 400: `${NO_KEY}, and when the text is no ciphertext of this key or names a version above the latest.` },
  inspectBatch: { 400: `as a whole when the list is empty, and ${NO_KEY}. An item is refused as \`inspect\` would.` },
  encryptBatch: {
    400: `as a whole when the list is empty, when some items have a context and others not, and when a missing key may not be made. An item is refused as \`encrypt\` would.`,
    502: `${OUTSIDE}.`,
  },
  decryptBatch: {
    400: `as a whole when the list is empty, when some items have a context and others not, and ${NO_KEY}. An item is refused as \`decrypt\` would.`,
    502: `${OUTSIDE}.`,
  },
  rewrapBatch: {
    400: `as a whole when the list is empty, when some items have a context and others not, and ${NO_KEY}. An item is refused as \`rewrap\` would.`,
    502: `${OUTSIDE}.`,
  },
  hmacBatch: {
    400: `as a whole when the list is empty, when there is no such hash, ${NO_KEY}, and ${VERSION}. An item is refused when it has no input.`,
  },
  signBatch: {
    400: `as a whole when the list is empty, ${NO_KEY} or it does not sign, and when hash or form is none. An item is refused as \`sign\` would.`,
    502: `${OUTSIDE}.`,
  },
  verifyBatch: {
    400: `as a whole when the list is empty, ${NO_KEY} or it does not verify, and when not all items have a signature, or all an HMAC. An item is refused as \`verify\` would.`,
    502: `${OUTSIDE}.`,
  },
  generateDataKey: {
    400: `${IN_USE} or does not encrypt; when \`bits\` is none of 128, 256 and 512; ${VERSION}; ${CONTEXT}; ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  hmac: { 400: `${IN_USE} or is kept elsewhere, when there is no such hash, and ${VERSION}.` },
  hash: { 400: 'when there is no such hash; sha1 is not offered.' },
  random: { 400: 'when more than 131,072 bytes or less than 1 are asked for, and when there is no such source.' },
  sign: {
    400: `${IN_USE} or does not sign; when hash, form, salt or algorithm is not for the key, or a digest has another length than the hash; ${VERSION}; ${CONTEXT}.`,
    502: `${OUTSIDE}.`,
  },
  verify: {
    400: `${IN_USE} or does not verify; when both or neither of \`signature\` and \`hmac\` are given; when what is given is malformed, or its version is below \`min_decryption_version\` or not there; ${CONTEXT}. One that is wrong is no error.`,
    502: `${OUTSIDE}.`,
  },
}
