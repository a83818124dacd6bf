/** The first management token, which can be created once. */
import { KernelError } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { configOperation } from '../../operation.ts'
import { GLOBAL_MANAGEMENT } from '../../rules/index.ts'
import { ACL_TOKEN, BOOTSTRAPPED, BOOTSTRAPPED_ID, DEFAULT_NAMESPACE } from '../records.ts'
import { tokenIdOf } from '../valid-token.ts'
import { type CreatedToken, createAclToken } from './create-token.ts'
import { shownToken, TOKEN_MEMBERS } from './fields.ts'
import { chosenId } from './find-token.ts'

const isBootstrapped = (tx: ConfigTx): boolean => tx.get(BOOTSTRAPPED, BOOTSTRAPPED_ID) !== undefined

function createFirstToken(tx: ConfigTx, Description: string, SecretID: string | undefined): CreatedToken {
  tx.put(BOOTSTRAPPED, BOOTSTRAPPED_ID, true)
  return createAclToken(tx, {
    Namespace: DEFAULT_NAMESPACE,
    Description,
    Policies: [{ ID: GLOBAL_MANAGEMENT.ID }],
    Roles: [],
    TemplatedPolicies: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Local: false,
    SecretID,
  })
}

/**
 * Creates the management token of the option `acl.bootstrapToken`. Does nothing if a first token was created earlier, even if it was
 * deleted afterwards.
 * @throws KernelError 400 if the secret is already in use as an AccessorID or a SecretID.
 */
export function createConfiguredToken(tx: ConfigTx, secret: string): void {
  const known = isBootstrapped(tx) || tx.get(ACL_TOKEN, tokenIdOf(tx, secret)) !== undefined
  if (!known) createFirstToken(tx, 'Initial Management Token', chosenId(tx, 'acl.bootstrapToken', secret))
}

export const bootstrapOperations = {
  /**
   * @throws KernelError 400 if `BootstrapSecret` is not a UUID, is reserved, or is in use.
   * @throws KernelError 403 if the first management token already exists.
   */
  bootstrap: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/bootstrap',
    summary: 'Creates the first management token. This works once, and needs no token. Only this response shows the secret.',
    thing: 'Bootstrap',
    fields: {},
    body: { BootstrapSecret: f.strictText('The secret, a UUID. Default: random.').default('') },
    answers: f.record(
      { ID: f.text('The same value as SecretID, because old clients read it under this name.'), ...TOKEN_MEMBERS },
      'The token.',
      {
        name: 'FirstToken',
      },
    ),
    run(tx, input) {
      if (isBootstrapped(tx))
        throw new KernelError(
          'ERR_PERMISSION_DENIED',
          'Permission denied: ACL bootstrap is no longer allowed, it was done already',
        )
      const secret = chosenId(tx, 'BootstrapSecret', input.BootstrapSecret)
      const { record, SecretID } = createFirstToken(tx, 'Bootstrap Token (Global Management)', secret)
      return { ID: SecretID, ...shownToken(tx, record, SecretID) }
    },
  }),
}
