import type { Kernel } from '../../kernel.ts'
import { command } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { OUT_OPTION, openSecretOutput } from '../secret-output.ts'
import { checkingShares, sharesOf } from '../unseal-with-shares.ts'

export const rekey = command({
  name: 'rekey',
  summary: 'Replace the key shares, or the recovery shares',
  details: `Reads the present shares from --shares-file, or from prompts on a terminal. The new shares are written first, and only then do they
replace the old ones. So the old shares stay valid if the command is interrupted. With an automatic seal, the recovery shares are replaced.`,
  options: {
    out: OUT_OPTION,
    shares: { kind: 'integer', required: true, summary: 'The number of new shares' },
    threshold: { kind: 'integer', required: true, summary: 'The number of shares that are needed' },
    cancel: { kind: 'flag', summary: 'Cancel an attempt that another process has begun' },
  },
  example: 'rekey --shares 5 --threshold 3 --shares-file shares.txt --out new-shares.json',
  async run({ options, session }) {
    const kernel = await session.openKernel()
    if (kernel.seal.state === 'uninitialized') await session.kernel()
    // The same shares unseal the store and authorize the change.
    const present: string[] = []
    const seal = await kernel.seal.status()
    if (seal.n === 0) throw new CommandError('failed', 'the store has no key shares')
    const source = sharesOf(session.secrets, session.globals['shares-file'], seal)
    for await (const share of source) present.push(share)
    for (const key of kernel.seal.state === 'sealed' ? present : [])
      if (!(await checkingShares(kernel.seal.unseal({ key }))).sealed) break
    if (!isOpen(kernel)) throw new CommandError('sealed', 'there are not enough present shares')
    const shares = seal.recovery_seal ? kernel.rekey.recovery : kernel.rekey
    if (options.cancel) await shares.cancel()
    const output = await openSecretOutput(session.terminal, options.out)
    try {
      const counts = { secret_shares: options.shares, secret_threshold: options.threshold }
      const { nonce } = await shares.init({ ...counts, require_verification: true })
      try {
        const keys = await newShares(present, (key) => checkingShares(shares.update({ key, nonce })))
        await output.write({ keys: keys.keys })
        const verificationNonce = keys.verification_nonce as string
        for (const key of keys.keys.slice(0, options.threshold)) await shares.verify({ key, nonce: verificationNonce })
      } catch (error) {
        await shares.cancel().catch(() => {})
        throw error
      }
      if (output.file === undefined) return { text: '' }
      const data = { shares: options.shares, threshold: options.threshold, out: output.file }
      return { data, text: `The new shares are valid. They are in ${output.file}.` }
    } finally {
      await output.close()
    }
  },
})

/** A function, because the state changes between two comparisons. */
const isOpen = ({ seal }: Kernel): boolean => seal.state === 'open'

interface NewShares {
  readonly keys: readonly string[]
  readonly verification_nonce?: string
}

async function newShares(
  present: readonly string[],
  update: (
    key: string,
  ) => Promise<{ readonly complete?: boolean; readonly keys?: readonly string[]; readonly verification_nonce?: string }>,
): Promise<NewShares> {
  for (const key of present) {
    const { keys, verification_nonce } = await update(key)
    if (keys !== undefined && keys.length > 0) return { keys, ...(verification_nonce !== undefined && { verification_nonce }) }
  }
  throw new CommandError('sealed', 'there are not enough present shares')
}
