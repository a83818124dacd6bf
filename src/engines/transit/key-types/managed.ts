/** Keys that an HSM or a KMS keeps and uses. The stored key of a version is a reference to the external key, as JSON. */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { invalid, KernelError, notConfigured } from '../../../core/base/errors.ts'
import { isSteps, runToEnd } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { Wipeable } from '../../../core/crypto/backend.ts'
import { encodePem } from '../../../core/crypto/pem.ts'
import type { VersionKey } from '../material.ts'
import type { ManagedKeyRef, ManagedKeys, ManagedSigning } from '../port.ts'
import { withDigest } from './hashed-input.ts'
import type { KeyCodec } from './key-codec.ts'
import type { Encryptor, KeyFunctions, Signer, SignJob } from './key-type.ts'
import type { NewKey } from './new-key.ts'

class ManagedKey implements Wipeable {
  readonly ref: ManagedKeyRef

  constructor(ref: ManagedKeyRef) {
    this.ref = ref
  }

  /** A reference is not secret, so it needs no wiping. */
  wipe(): void {}
}

const refOf = (key: VersionKey): ManagedKeyRef => (key.primitive as ManagedKey).ref

/** @throws KernelError 400 if the kernel was created without `ports.managedKeys` */
function portOf({ ports }: Environment): ManagedKeys {
  if (ports.managedKeys) return ports.managedKeys
  throw notConfigured('type: keys of type managed_key need the option ports.managedKeys of createKernel')
}

/** Passes on a `KernelError` of the port. Any other error is a failure of the external system. */
async function callPort<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    if (cause instanceof KernelError) throw cause
    throw new KernelError(
      'ERR_UPSTREAM',
      'the system that keeps this managed key refused the call, failed or cannot be reached',
      {
        cause,
      },
    )
  }
}

const encryptor: Encryptor = {
  aead: true,
  counted: false,
  seal: (env, key, { plaintext, associatedData }) =>
    callPort(portOf(env).encrypt(refOf(key), plaintext, associatedData, env.closing)),
  open: (env, key, { sealed, associatedData }) => callPort(portOf(env).decrypt(refOf(key), sealed, associatedData, env.closing)),
}

const signer: Signer = {
  sign: async (env, key, job) => {
    const bytes = await callPort(portOf(env).sign(refOf(key), digestOf(env, job), signing(job), env.closing))
    return { bytes }
  },
  verify: (env, key, job, signature) =>
    callPort(portOf(env).verify(refOf(key), digestOf(env, job), signature, signing(job), env.closing)),
}

const signing = ({ hash, prehashed, algorithm, salt, marshaling }: SignJob): ManagedSigning => ({
  hash,
  prehashed,
  algorithm,
  salt,
  marshaling,
})

/**
 * Hashes input of any length in one call. Synchronous callers and worker threads never have managed keys, and the signature is a remote
 * call anyway.
 */
function digestOf(env: Environment, job: SignJob): Uint8Array {
  const digest = withDigest(env, job, (bytes) => bytes)
  return isSteps(digest) ? runToEnd(digest) : digest
}

/** Reads the public key from the external system, which fails if the reference is wrong. */
function generate(tx: Tx, _size: number, ref: ManagedKeyRef | undefined): NewKey {
  const port = portOf(tx.env)
  if (!ref?.name && !ref?.id)
    throw invalid('managed_key_name or managed_key_id: one of them is required for keys of type managed_key')
  const spki = tx.once('managed key', () => callPort(port.publicKey(ref, tx.env.closing)))
  return { key: toUtf8(JSON.stringify(ref)), publicKey: spki ? encodePem('PUBLIC KEY', spki) : '' }
}

const cannotLeave = () => invalid('name: managed keys cannot leave the system that keeps them')

const refuse = (): never => {
  throw cannotLeave()
}

/** Managed keys cannot be imported, exported or backed up. */
const codec: KeyCodec = {
  counterMode: false,
  fromWrapped: refuse,
  toWrapped: refuse,
  toText: refuse,
  fromArchive: refuse,
  toArchive: refuse,
  publicKey: undefined,
}

export const MANAGED_FUNCTIONS: KeyFunctions = {
  encryptor,
  signer,
  generate,
  open: (_crypto, key) => new ManagedKey(JSON.parse(fromUtf8(key)) as ManagedKeyRef),
  codec,
}
