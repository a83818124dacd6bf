/** The operations `sys/rotate` and `sys/key-status`, which rotate and show the barrier key and the root key, as in Vault. */
import { rfc3339 } from '../../core/base/clock.ts'
import { KernelError } from '../../core/base/errors.ts'
import { controlOperation, operation } from '../../core/contract/operation.ts'
import type { OperationContext } from '../../core/contract/operation-context.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { BARRIER_ENCRYPTIONS, IN_USE } from '../../core/seal/rotation.ts'

const MAX_TRIES = 20

/**
 * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
 *   cases nothing was changed.
 */
export const rotate = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/rotate',
  aliasPaths: ['/rotate/keyring'],
  sudo: true,
  rootOnly: true,
  summary: 'Adds a new barrier key, which encrypts everything that is written from now on. Older records remain readable.',
  fields: {},
  returns: {},
  control: rotateBarrierKey,
})

/** `rotate` at its alternative path. */
export const rotateKeyring = controlOperation({
  ...rotate,
  path: '/rotate/keyring',
  aliasPaths: ['/rotate'],
  control: rotateBarrierKey,
})

async function rotateBarrierKey(asked: OperationContext): Promise<undefined> {
  await CONTROLS.of(asked).sealing.keeper.rotate()
}

/**
 * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
 *   cases nothing was changed.
 */
export const rotateRootKey = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/rotate/root',
  sudo: true,
  rootOnly: true,
  summary: 'Replaces the root key by a new one, which is never shown. The key shares stay valid.',
  fields: {},
  returns: {},
  control: async (asked) => {
    const { keeper } = CONTROLS.of(asked).sealing
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const held = await keeper.read()
      if (held && (await keeper.change(held, { rootKey: true }))) return undefined
      await keeper.parts.store.backOff(Math.min(tries, 6))
    }
    throw new KernelError('ERR_UNAVAILABLE', 'other processes keep changing the keys of the store; nothing was changed')
  },
})

/** @throws no errors of its own. */
export const readKeyStatus = operation({
  kind: 'read',
  verb: 'GET',
  path: '/key-status',
  rootOnly: true,
  summary: 'Shows the number of the active barrier key, when it was installed, and how many encryptions it has made.',
  fields: {},
  returns: {
    term: f.int('The number of the active barrier key. The first key has the number 1.'),
    install_time: f.text('When the key was installed, as a time in RFC 3339 format.'),
    encryptions: f.int(
      'The number of encryptions with this key: the total that all processes have reported to the store, plus the encryptions by this process since its last report.',
    ),
  },
  wire: (data) => ({ data, repeated: true }),
  run: (tx) => {
    const { barrier } = CONTROLS.of(tx).sealing.keeper.parts
    const { term, installed } = barrier.ring.active
    const reported = tx.get(BARRIER_ENCRYPTIONS, IN_USE)
    const before = reported?.term === term ? reported.count : 0
    return { term, install_time: rfc3339(installed), encryptions: before + barrier.encryptions }
  },
})
