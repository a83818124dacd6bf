/**
 * Brings what is stored under the newest versions of both keys. What was interrupted goes on behind its checkpoint.
 */
import { ADDRESSES, boundTo, INDEX } from './customers.mjs'

/**
 * @param checkpoints Where the progress is kept between runs; of a database it would be a row.
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
      // All results of the batch are stored: a database would commit here.
      checkpoint: (progress) => {
        checkpoints.after = structuredClone(progress)
      },
    },
  )
  for await (const { error, ciphertext, reference } of walk) {
    if (error) throw error
    const row = customers.rows.get(reference)
    row.email = ciphertext
    // The same visit of the row makes the HMAC anew: the address is seen by this process, and by nobody else.
    row.email_index = await customers.indexOf(await customers.emailOf(row))
  }
}

/** Closes the versions that no row needs. @returns What is still in use, of either column. */
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
