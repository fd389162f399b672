// Calls to the service. What changes something has an id: a call that got no answer is sent again with the same one.

const KEY = "dealer-table.token";
const AGAIN_MS = [200, 500, 1000, 2000];

let token = sessionStorage.getItem(KEY);
let refused = () => {};

/** Whether there is a token to call with. */
export const signedIn = () => token !== null;

/** What is done when the service does not know the token (any more). */
export const onRefused = (act) => (refused = act);

/** Keep the token as long as this tab lives; null forgets it. */
export function signIn(given) {
  token = given;
  if (given === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, given);
}

export const authorization = () => ({ authorization: `Bearer ${token}` });

/** A new id; not crypto.randomUUID, which a page without TLS on another machine does not have. */
export const callId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** `{ status, body }`; status 0 where nobody answered after some tries. */
export async function ask(method, path, body) {
  const asked = {
    method,
    headers: { ...authorization(), ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify(body),
    cache: "no-store",
  };
  for (const wait of [...AGAIN_MS, null]) {
    try {
      const answer = await fetch(`/api/v1${path}`, asked);
      if (answer.status === 401) refused();
      if (answer.status !== 503) return { status: answer.status, body: await answer.json() };
    } catch {
      // nobody answers: again, or the end
    }
    if (wait !== null) await later(wait);
  }
  return { status: 0, body: { error: { code: "unavailable", message: "" } } };
}

/** A call that changes something. */
export const change = (path, body) => ask("POST", path, { id: callId(), ...body });
