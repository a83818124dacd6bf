import { command } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { OUT_OPTION, openSecretOutput } from '../secret-output.ts'

export const init = command({
  name: 'init',
  summary: 'Initialize the store of the config',
  details: `Creates the keys of the store, its first mounts and a root token. With an automatic seal, --shares creates recovery shares;
without it there is no recovery key. With shamirSeal(), the shares unseal the store, and both options are required.`,
  options: {
    out: OUT_OPTION,
    shares: { kind: 'integer', summary: 'The number of key shares, or of recovery shares' },
    threshold: { kind: 'integer', summary: 'The number of shares that are needed' },
  },
  example: 'init --out first-keys.json',
  async run({ options, session }) {
    const { shares, threshold } = options
    const kernel = await session.openKernel()
    if (kernel.seal.state !== 'uninitialized') throw new CommandError('failed', 'the store is already initialized')
    const { options: config } = await session.config()
    const isManual = config.seal.type === 'shamir'
    const counts = {
      ...(shares !== undefined && { [isManual ? 'secret_shares' : 'recovery_shares']: shares }),
      ...(threshold !== undefined && { [isManual ? 'secret_threshold' : 'recovery_threshold']: threshold }),
    }
    const output = await openSecretOutput(session.terminal, options.out)
    try {
      const { keys, recovery_keys, root_token } = await kernel.seal.initialize(counts)
      const secrets = { root_token, keys, ...(recovery_keys && { recovery_keys }) }
      if (output.file === undefined && session.isJson) return { data: secrets, text: '' }
      await output.write(secrets)
      const { type } = await kernel.seal.status()
      const text =
        output.file === undefined ? '' : `The store is initialized. The root token and the shares are in ${output.file}.`
      return { data: { initialized: true, type, out: output.file }, text }
    } finally {
      await output.close()
    }
  },
})
