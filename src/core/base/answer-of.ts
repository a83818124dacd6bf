/**
 * What a handler of messages answers, as a transport may pass it on.
 */

/** Undefined where there is no answer: it is none, it is too long, or the handler threw, which is told to no stranger. */
export async function answerOf(handle: () => Promise<unknown>, mostBytes: number): Promise<Uint8Array | undefined> {
  try {
    const answer = await handle()
    return answer instanceof Uint8Array && answer.length <= mostBytes ? answer : undefined
  } catch {
    return undefined
  }
}
