// Keeps the own bot that was chosen while opponents are added, removed and searched for.

const own = document.querySelector('select[name="bot"]');

function keep() {
  for (const field of document.querySelectorAll('input[name="bot"]')) field.value = own.value;
  for (const link of document.querySelectorAll(".chips a")) {
    const address = new URL(link.href);
    address.searchParams.set("bot", own.value);
    link.href = address;
  }
}

if (own) {
  own.addEventListener("change", keep);
  addEventListener("pageshow", keep); // the browser may have restored the choice
}
