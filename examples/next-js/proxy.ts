/** Refreshes the tokens before a page is rendered, because a server component cannot set cookies. */
import { type NextRequest, NextResponse } from 'next/server'
import { cookieName, cookieOptions, encodeSession, readSession } from '#session'
import { isExpiring, refresh } from '#tokens'

export const proxy = async (request: NextRequest): Promise<NextResponse> => {
  const session = await readSession(request.headers)
  if (session === null || !isExpiring(session)) return NextResponse.next()
  const renewed = await refresh(session)
  // The page reads the cookie of the request, the browser keeps that of the response.
  if (renewed === undefined) {
    request.cookies.delete(cookieName)
    const response = NextResponse.next({ request })
    response.cookies.delete(cookieName)
    return response
  }
  const cookie = await encodeSession(renewed)
  request.cookies.set(cookieName, cookie)
  const response = NextResponse.next({ request })
  response.cookies.set(cookieName, cookie, cookieOptions)
  return response
}

export const config = { matcher: '/' }
