import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'
import { usageError } from '../command-error.ts'
import type { CommandSession } from '../command-session.ts'
import { OUT_OPTION, openSecretOutput } from '../secret-output.ts'

const ACCESSOR = { name: 'accessor', summary: 'The accessor. Default: the token in --token-file', optional: true }

export const tokenCreate = command({
  name: 'token create',
  summary: 'Create a token',
  details: 'Without --token-file the application creates the token, so it has no parent, and --policy is required.',
  options: {
    out: OUT_OPTION,
    policy: { kind: 'texts', value: 'name', summary: 'A policy of the token; may be repeated' },
    ttl: { kind: 'text', value: 'duration', summary: 'How long the token is valid, such as 8h' },
    'explicit-max-ttl': { kind: 'text', value: 'duration', summary: 'The limit for renewals' },
    period: { kind: 'text', value: 'duration', summary: 'The token is valid as long as it is renewed within this time' },
    'num-uses': { kind: 'integer', summary: 'The number of uses; 0 for no limit' },
    'display-name': { kind: 'text', value: 'name', summary: 'A name for people' },
    'no-default-policy': { kind: 'flag', summary: 'Leave out the policy default' },
  },
  example: 'token create --policy app --ttl 8h --out app-token.json',
  async run({ options, session }) {
    const { policy, ttl, period } = options
    if (policy === undefined && (await session.token()) === undefined)
      throw usageError('--policy: is required unless --token-file names a parent token')
    const { tokens } = await session.caller()
    const output = await openSecretOutput(session.terminal, options.out)
    try {
      const created = await tokens.createToken({
        ...(policy && { policies: policy }),
        ttl,
        period,
        explicit_max_ttl: options['explicit-max-ttl'],
        num_uses: options['num-uses'],
        display_name: options['display-name'],
        no_default_policy: options['no-default-policy'],
      } as Parameters<typeof tokens.createToken>[0])
      const { client_token: token, accessor, policies, lease_duration, renewable } = created
      const shown = { accessor, policies, lease_duration, renewable }
      await output.write({ token, ...shown })
      if (output.file === undefined) return { text: '' }
      const data = { ...shown, out: output.file }
      return { data, text: memberLines(data).join('\n') }
    } finally {
      await output.close()
    }
  },
})

export const tokenLookup = command({
  name: 'token lookup',
  summary: 'Show a token by its accessor, or the token in --token-file',
  details:
    'With an accessor, --token-file is the token to act with. Without an accessor, the application looks up the token in the file.',
  positionals: [ACCESSOR],
  example: 'token lookup --token-file app-token',
  async run({ args, session }) {
    const [accessor] = args
    const {
      id: _,
      warnings: _warnings,
      ...found
    } = (
      accessor === undefined
        ? await (await session.kernel()).tokens.lookupToken({ token: await tokenInFile(session) })
        : await (await session.caller()).tokens.lookupAccessor({ accessor })
    ) as { readonly id?: string; readonly warnings?: unknown }
    return { data: found, text: memberLines(found).join('\n') }
  },
})

export const tokenRevoke = command({
  name: 'token revoke',
  summary: 'Revoke a token and its children',
  details:
    'With an accessor, --token-file is the token to act with. Without an accessor, the application revokes the token in the file.',
  positionals: [ACCESSOR],
  example: 'token revoke --token-file app-token',
  async run({ args, session }) {
    const [accessor] = args
    if (accessor === undefined) await (await session.kernel()).tokens.revokeToken({ token: await tokenInFile(session) })
    else await (await session.caller()).tokens.revokeAccessor({ accessor })
    return { data: { revoked: true }, text: 'The token is revoked.' }
  },
})

async function tokenInFile(session: CommandSession): Promise<string> {
  const token = await session.token()
  if (token === undefined) throw usageError('<accessor>: is missing, and there is no --token-file')
  return token
}
