/**
 * The application: a shop that stores card numbers in encrypted form, and lets other programs read their secrets below /v1/.
 */
import express from 'express'
import { requestListener } from 'strongroom/http'

export function makeApp(kernel) {
  const app = express()
  // Before all middleware that reads bodies. Requests that are not below /v1/ are passed to the routes of the shop.
  app.use(requestListener(kernel))

  app.post('/orders/:id', express.json(), async (request, response) => {
    const plaintext = Buffer.from(String(request.body.card))
    const associated_data = Buffer.from(request.params.id)
    const { ciphertext } = await kernel.transit.encrypt({ name: 'cards', plaintext, associated_data })
    response.json({ id: request.params.id, card: ciphertext })
  })
  return app
}
