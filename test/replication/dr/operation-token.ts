/** DR operation tokens, created with the cluster's own key shares. */
import { type Kernel, keySeal } from '../../../src/index.ts'
import type { Clusters } from '../clusters/cluster.ts'

/** A cluster whose recovery key has three shares, of which two are needed. */
export async function withShares({ make }: Clusters): Promise<{ readonly kernel: Kernel; readonly shares: readonly string[] }> {
  const kernel = await make({ seal: keySeal(new Uint8Array(32).fill(99)), initialize: false })
  const { recovery_keys = [] } = await kernel.seal.initialize({ recovery_shares: 3, recovery_threshold: 2 })
  return { kernel, shares: recovery_keys }
}

/** @param otherKernel Decodes the token, because a DR secondary does not serve that operation. */
export async function operationTokenOf(kernel: Kernel, shares: readonly string[], otherKernel: Kernel): Promise<string> {
  const { generateOperationToken } = kernel
  const { nonce, otp } = await generateOperationToken.init()
  await generateOperationToken.update({ key: shares[0] as string, nonce })
  const { encoded_token } = await generateOperationToken.update({ key: shares[1] as string, nonce })
  return (await otherKernel.generateRoot.decodeToken({ encoded_token, otp })).token
}
