/**
 * Returns the answer of a message handler in a form that a transport may send. Returns undefined if the handler returned no bytes or too
 * many bytes, or if it threw: errors are not revealed to peers.
 */
export async function validAnswer(handle: () => Promise<unknown>, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    const answer = await handle()
    return answer instanceof Uint8Array && answer.length <= maxBytes ? answer : undefined
  } catch {
    return undefined
  }
}
