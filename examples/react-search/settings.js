/** The server, and this application. None of this is secret. */
export const authUrl = 'http://127.0.0.1:4001'
export const baseUrl = 'http://127.0.0.1:4000'
export const clientId = 'YOUR_CLIENT_ID'
