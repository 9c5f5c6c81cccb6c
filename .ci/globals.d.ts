// What the pages' scripts find in their window.

interface Window {
  Plotly: any;
  coterieHabits?: boolean;
  __streamlit?: { BACKEND_BASE_URL: string };
  buildNext: () => void;
}

interface WindowEventMap {
  "coterie-ahead": CustomEvent;
  "coterie-likely": CustomEvent;
  "coterie-moved": CustomEvent;
}

// The dashboard puts the certificate's checker before the script that asks it.
declare function certify(
  certificate: Uint8Array,
  file: Uint8Array,
  allowed?: string,
): Promise<any>;

// The server puts these before the script that each page begins with.
declare const GONE: number;
declare const PLOTLY_SCRIPT: string;
declare const STYLE: string;

// The dashboard wraps a class's scripts in the function of a component of its own.
declare const component: any;
