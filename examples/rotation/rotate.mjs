/**
 * Encrypts stored values again under the newest versions of both keys. After an interruption the work continues after its checkpoint.
 */
import { ADDRESSES, boundTo, INDEX } from './customers.mjs'

/**
 * @param checkpoints Stores the progress between runs. With a database this is a row.
 * @param signal Interrupts the work.
 */
export async function bringForward(kernel, customers, checkpoints, signal) {
  const { after } = checkpoints
  const items = function* () {
    for (const { id, email } of customers.rows.values())
      if (!after || id > after.reference) yield { ciphertext: email, associated_data: boundTo(id), reference: id }
  }
  const walk = kernel.transit.rewrapAll(
    { name: ADDRESSES, items: items() },
    {
      signal,
      after,
      // All results of the batch are stored. With a database, commit here.
      checkpoint: (progress) => {
        checkpoints.after = structuredClone(progress)
      },
    },
  )
  for await (const { error, ciphertext, reference } of walk) {
    if (error) throw error
    const row = customers.rows.get(reference)
    row.email = ciphertext
    // Compute the HMAC again at the same time. Only this process sees the address.
    row.email_index = await customers.indexOf(await customers.emailOf(row))
  }
}

/** Retires the key versions that no row uses. @returns The versions that are still in use, for each column */
export async function closeOldVersions(kernel, customers) {
  const rows = [...customers.rows.values()]
  const columns = { [ADDRESSES]: rows.map(({ email }) => email), [INDEX]: rows.map(({ email_index }) => email_index) }
  const found = {}
  for (const [name, column] of Object.entries(columns)) {
    const census = await kernel.transit.census({ name, items: column.map((ciphertext) => ({ ciphertext })) })
    await kernel.transit.retireVersions({ name, census })
    found[name] = census.versions
  }
  return found
}
