/**
 * The cryptography backend over node:crypto (OpenSSL), byte-compatible with the noble backend. Noble generates ECDSA keys and processes
 * ECDSA digests, which node:crypto cannot do.
 */
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import { registerBuiltIn } from '../../core/crypto/built-in-backends.ts'
import { nobleEcdsaGenerate } from '../../core/crypto/noble/ecdsa.ts'
import { nodeAead } from './aead.ts'
import { NodeEcdsaSignKey, NodeEcdsaVerifyKey } from './ecdsa.ts'
import { NodeEd25519SignKey, NodeEd25519VerifyKey } from './ed25519.ts'
import { NodeHmacKey, nodeHash, nodeHkdf } from './hash.ts'
import { NodeX25519Key } from './x25519.ts'

/** Returns the backend, which has no state. */
export function nodeCrypto(): CryptoBackend {
  const backend = Object.freeze<CryptoBackend>({
    name: 'node',
    aead: nodeAead,
    hash: nodeHash,
    hmac: (hash, key) => new NodeHmacKey(hash, key),
    hkdf: nodeHkdf,
    ed25519Sign: (seed) => new NodeEd25519SignKey(seed),
    ed25519Verify: (publicKey) => new NodeEd25519VerifyKey(publicKey),
    ecdsaGenerate: nobleEcdsaGenerate,
    ecdsaSign: (curve, scalar) => new NodeEcdsaSignKey(curve, scalar),
    ecdsaVerify: (curve, publicKey) => new NodeEcdsaVerifyKey(curve, publicKey),
    x25519: (secretKey) => new NodeX25519Key(secretKey),
  })
  return registerBuiltIn(backend, 'node')
}
